package io.redelay.benchmarks;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.IntSupplier;

import io.redelay.embedded.redis.RedisServer;
import org.redisson.api.RedissonClient;

/**
 * Measures the store beside the limit that a bare script sets, in rounds in which each
 * does each piece of work. Conversion of payloads and the threads of handlers are not
 * part of it.
 * <p>
 * Run by hand: see {@code benchmarks/README.md}.
 *
 * @since 0.1.0
 */
public final class StoreBenchmark {

	private static final String PREFIX = "redelay-benchmark";

	private final StoreOptions options;

	private final RedissonClient redisson;

	private final BareScripts limit;

	private final StoreUnderTest store;

	private final Report report = new Report();

	private StoreBenchmark(StoreOptions options, RedissonClient redisson, ScheduledExecutorService timer) {
		this.options = options;
		this.redisson = redisson;
		byte[] envelope = SampleEnvelope.of(options.bytes());
		this.limit = new BareScripts(redisson, PREFIX, envelope);
		this.store = new StoreUnderTest(redisson, PREFIX, envelope, timer);
	}

	/**
	 * Measures and prints.
	 * @param args {@code --redis=redis://host:port}, {@code --rounds=5},
	 * {@code --messages=100000}, {@code --bytes=200}
	 */
	public static void main(String... args) {
		StoreOptions options = BenchmarkOptions.read(StoreOptions.class, args);
		URI redis = options.redis();
		if (redis != null) {
			run(options, redis);
			return;
		}
		try (RedisServer server = RedisServer.start()) {
			run(options, server.uri());
		}
	}

	private static void run(StoreOptions options, URI redis) {
		ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
		RedissonClient redisson = RedissonConnection.open(redis);
		try {
			new StoreBenchmark(options, redisson, timer).run();
		}
		finally {
			redisson.getKeys().deleteByPattern(PREFIX + ":*");
			redisson.shutdown();
			timer.shutdownNow();
		}
	}

	private void run() {
		for (int round = 0; round <= this.options.rounds(); round++) {
			boolean limitFirst = round % 2 == 0;
			for (Contender contender : limitFirst ? List.of(this.limit, this.store) : List.of(this.store, this.limit)) {
				int messages = this.options.messages();
				send(round, Work.SEND_100, contender, messages, 100, 1, contender::send);
				drain(round, Work.DRAIN_100, contender, messages, 100);
				send(round, Work.SEND_16, contender, messages / 4, 1, 16, contender::send);
				drain(round, Work.DRAIN_10, contender, messages / 4, 10);
				send(round, Work.SEND_1, contender, messages / 20, 1, 1, contender::send);
				drain(round, Work.DRAIN_1, contender, messages / 20, 1);
			}
			send(round, Work.SCHEDULE_100, this.store, this.options.messages(), 100, 1,
					(count) -> this.store.sendLater(count, Duration.ofHours(1)));
			this.redisson.getKeys().delete(PREFIX + ":{store}:messages", PREFIX + ":{store}:scheduled");
		}
		this.report.print();
	}

	private void send(int round, Work work, Contender contender, int messages, int together, int onTheirWay,
			IntFunction<CompletableFuture<?>> sender) {
		measure(round, work, contender, messages, () -> {
			Semaphore places = new Semaphore(onTheirWay);
			AtomicInteger sent = new AtomicInteger();
			for (int begun = 0; begun < messages; begun += together) {
				places.acquireUninterruptibly();
				sender.apply(together).whenComplete((done, failure) -> {
					if (failure == null) {
						sent.addAndGet(together);
					}
					places.release();
				});
			}
			places.acquireUninterruptibly(onTheirWay);
			return sent.get();
		});
	}

	private void drain(int round, Work work, Contender contender, int messages, int batch) {
		measure(round, work, contender, messages, () -> contender.drain(batch));
	}

	private void measure(int round, Work work, Contender contender, int messages, IntSupplier task) {
		RedisCounters before = RedisCounters.of(this.redisson);
		Duration cpu = cpu();
		long start = System.nanoTime();
		int done = task.getAsInt();
		double seconds = (System.nanoTime() - start) / 1e9;
		if (done != messages) {
			throw new IllegalStateException("'%s' of the %s came to %d messages, not %d".formatted(work.title(),
					contender.name(), done, messages));
		}
		Duration cpuUsed = cpu().minus(cpu);
		RedisCounters used = RedisCounters.of(this.redisson).minus(before);
		this.report.add(new Measurement(round, work, contender.name(), messages, messages / seconds,
				(double) messages / used.commands(), (double) used.innerCommands() / used.commands(),
				(double) used.cpuMicros() / messages, cpuUsed.toNanos() / 1e3 / messages,
				(double) used.usedMemory() / messages));
	}

	private static Duration cpu() {
		return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
	}

}
