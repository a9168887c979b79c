package io.redelay.benchmarks.soak;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.redelay.benchmarks.BenchmarkOptions;
import io.redelay.benchmarks.JsonLines;
import io.redelay.benchmarks.Machine;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.send.QueueTemplate;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * Has an application send and handle for long, at half of what it can, and sees that
 * nothing grows, that no message is missing and that nothing is left behind.
 * <p>
 * Run by hand: see {@code benchmarks/README.md}.
 *
 * @since 0.1.0
 */
public final class SoakBenchmark {

	private static final Duration FLOOD = Duration.ofSeconds(10);

	private static final int MOST_IN_FLOOD = 4_000_000;

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private static final Duration GLANCE = Duration.ofMillis(10);

	private final SoakOptions options;

	private final RedisServer server;

	private final SoakApplication.Parcels parcels;

	private final SoakSender sender;

	private final PrintStream out;

	private SoakBenchmark(SoakOptions options, RedisServer server, ConfigurableApplicationContext context,
			PrintStream out) {
		this.options = options;
		this.server = server;
		this.parcels = context.getBean(SoakApplication.Parcels.class);
		this.sender = new SoakSender(context.getBean(QueueTemplate.class));
		this.out = out;
	}

	/**
	 * Measures, prints and writes; the exit code is 1 if something has grown, is missing
	 * or is left behind.
	 * @param args {@code --minutes=10}, {@code --interval=30},
	 * {@code --output=target/soak.jsonl}
	 */
	public static void main(String... args) {
		SoakOptions options = BenchmarkOptions.read(SoakOptions.class, args);
		boolean sound;
		try (RedisServer server = RedisServer.start();
				ConfigurableApplicationContext context = SoakApplication.start(server)) {
			sound = new SoakBenchmark(options, server, context, System.out).run();
		}
		System.exit(sound ? 0 : 1);
	}

	private boolean run() {
		int perSecond = flood() / 2;
		int minutes = this.options.minutes();
		Ledger ledger = new Ledger(Math.multiplyExact(perSecond, minutes * 60));
		this.parcels.count(ledger);
		this.parcels.lateness().takeP99();
		SoakReport report = new SoakReport(new JsonLines(this.options.output()), this.out);
		report.begin(new Setting(Machine.now(this.server), perSecond, minutes));
		soak(perSecond, ledger, report);
		boolean handled = await(() -> ledger.handled() == ledger.capacity());
		boolean flat = report.printTrends();
		this.out.printf("%n%,d messages sent, %,d missing, %,d handled more than once%n", ledger.capacity(),
				ledger.missing(ledger.capacity()), ledger.repeated());
		Residue residue = new Residue(this.server);
		boolean clean = await(() -> residue.keys().isEmpty());
		this.out.println("Keys without an expiry but the registry and the counters: "
				+ (clean ? "none" : String.join(", ", residue.keys())));
		return handled && flat && clean;
	}

	/**
	 * Sends and handles as fast as it can.
	 * @return how many messages a second
	 */
	private int flood() {
		Ledger ledger = new Ledger(MOST_IN_FLOOD);
		this.parcels.count(ledger);
		long start = System.nanoTime();
		int sent = this.sender.flood(FLOOD, MOST_IN_FLOOD);
		if (!await(() -> ledger.handled() == sent)) {
			throw new IllegalStateException("%d of %d messages are missing".formatted(ledger.missing(sent), sent));
		}
		int perSecond = (int) (sent / ((System.nanoTime() - start) / 1e9));
		this.out.printf("%,d messages a second can be sent and handled, so %,d are%n%n", perSecond, perSecond / 2);
		return perSecond;
	}

	private void soak(int perSecond, Ledger ledger, SoakReport report) {
		ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
		try {
			SoakSampler sampler = new SoakSampler(this.server, this.parcels);
			int interval = this.options.interval();
			ScheduledFuture<?> sampling = clock.scheduleAtFixedRate(() -> report.add(sampler.sample()), interval,
					interval, TimeUnit.SECONDS);
			this.sender.pace(perSecond, ledger.capacity());
			if (sampling.isDone()) {
				throw new IllegalStateException("A sample could not be taken: " + failure(sampling));
			}
		}
		finally {
			clock.shutdown();
		}
	}

	private static String failure(ScheduledFuture<?> sampling) {
		try {
			return String.valueOf(sampling.get());
		}
		catch (InterruptedException | ExecutionException ex) {
			return String.valueOf(ex);
		}
	}

	private static boolean await(BooleanSupplier condition) {
		long end = System.nanoTime() + PATIENCE.toNanos();
		while (!condition.getAsBoolean()) {
			if (System.nanoTime() - end > 0) {
				return false;
			}
			LockSupport.parkNanos(GLANCE.toNanos());
		}
		return true;
	}

	/**
	 * What the samples are only true of.
	 *
	 * @param machine where they come from
	 * @param perSecond how many messages a second were sent
	 * @param minutes for how long
	 */
	record Setting(@JsonUnwrapped Machine machine, int perSecond, int minutes) {

	}

}
