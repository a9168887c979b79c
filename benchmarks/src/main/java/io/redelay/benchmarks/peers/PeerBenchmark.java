package io.redelay.benchmarks.peers;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.redelay.benchmarks.peers.contender.Contender;
import io.redelay.benchmarks.peers.contender.Contenders;
import io.redelay.benchmarks.peers.contender.NotOfferedException;
import io.redelay.benchmarks.peers.contender.Session;
import io.redelay.benchmarks.peers.item.Figure;
import io.redelay.benchmarks.peers.item.Item;
import io.redelay.benchmarks.peers.item.Items;
import io.redelay.benchmarks.peers.item.Stage;
import io.redelay.embedded.redis.RedisServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has all contenders do the same work, one right after the other, in rounds.
 * <p>
 * Run by hand: see {@code benchmarks/README.md}.
 *
 * @since 0.1.0
 */
public final class PeerBenchmark {

	private static final Logger logger = LoggerFactory.getLogger(PeerBenchmark.class);

	private final PeerOptions options;

	private final List<Item> items;

	private final List<Contender> contenders;

	private final RedisServer server;

	private final PeerReport report;

	private final Set<String> missing = new HashSet<>();

	private PeerBenchmark(PeerOptions options, RedisServer server) {
		this.options = options;
		this.items = Items
			.all(options.others(), options.queues(), Duration.ofSeconds(options.latency()),
					Duration.ofSeconds(options.idle()))
			.stream()
			.filter((item) -> options.items().isEmpty() || options.items().stream().anyMatch(item.name()::startsWith))
			.toList();
		this.contenders = Contenders.all(PeerOptions.bullMq(), options.postgresql())
			.stream()
			.filter((contender) -> options.contenders().isEmpty() || options.contenders().contains(contender.name()))
			.toList();
		this.server = server;
		this.report = new PeerReport(options.output(), System.out);
	}

	/**
	 * Measures, prints and writes.
	 * @param args {@code --quick}, {@code --items=drain,latency},
	 * {@code --contenders=limit,redelay}, {@code --warm-up=2}, {@code --rounds=3},
	 * {@code --size=200000} and others
	 */
	public static void main(String... args) {
		PeerOptions options = PeerOptions.read(args);
		try (RedisServer server = RedisServer.start()) {
			new PeerBenchmark(options, server).run();
		}
		// Some contenders leave threads behind.
		System.exit(0);
	}

	private void run() {
		this.report.begin(Surroundings.of(this.server, this.options));
		for (int round = 1 - this.options.warmUp(); round <= this.options.rounds(); round++) {
			List<Contender> order = new ArrayList<>(this.contenders);
			Collections.rotate(order, round);
			for (Item item : this.items) {
				for (Contender contender : order) {
					if ((round > 0 || item.isWarmedUp()) && (contender.usesRedis() || !item.isOfRedis())) {
						run(round, item, contender);
					}
				}
			}
		}
		this.report.print(this.contenders.stream().map(Contender::name).toList());
	}

	private void run(int round, Item item, Contender contender) {
		String pair = item.name() + " " + contender.name();
		if (this.missing.contains(pair)) {
			return;
		}
		this.server.command("FLUSHALL");
		Outcome outcome;
		try (Session session = contender.open(this.server, item.setup(this.options.concurrency()))) {
			Stage stage = new Stage(this.server, this.options.size(), contender.slowness());
			stage.awaitCompilation();
			Map<Figure, Double> figures = item.run(session, stage);
			outcome = new Outcome(round, item.name(), item.title(), contender.name(), figures, "");
		}
		catch (NotOfferedException ex) {
			this.missing.add(pair);
			outcome = new Outcome(round, item.name(), item.title(), contender.name(), Map.of(),
					String.valueOf(ex.getMessage()));
		}
		catch (RuntimeException ex) {
			logger.error("{} failed", pair, ex);
			outcome = new Outcome(round, item.name(), item.title(), contender.name(), Map.of(), "failed: " + ex);
		}
		this.report.add(outcome);
	}

}
