package io.redelay.benchmarks.senders;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.ToDoubleFunction;

import io.redelay.benchmarks.BenchmarkOptions;
import io.redelay.benchmarks.JsonLines;
import io.redelay.benchmarks.Machine;
import io.redelay.benchmarks.RedisInfo;
import io.redelay.benchmarks.Spread;
import io.redelay.embedded.redis.RedisServer;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.VirtualThreadTaskExecutor;

/**
 * Measures threads each of which sends a message, waits for the answer, and sends the
 * next one: through Redelay, and the bare script of the limit through Redisson and
 * through a connection of Lettuce that all threads share.
 * <p>
 * Run by hand: see {@code benchmarks/README.md}.
 *
 * @since 0.1.0
 */
public final class BlockingSendersBenchmark {

	private final SenderOptions options;

	private final RedisServer server;

	private final SenderContenders contenders;

	private final JsonLines file;

	private final List<Sample> samples = new ArrayList<>();

	private BlockingSendersBenchmark(SenderOptions options, RedisServer server, SenderContenders contenders) {
		this.options = options;
		this.server = server;
		this.contenders = contenders;
		this.file = new JsonLines(options.output());
	}

	/**
	 * Measures, prints and writes.
	 * @param args {@code --threads=1,2,8}, {@code --rounds=30}, {@code --messages=600}
	 * and others
	 */
	public static void main(String... args) {
		SenderOptions options = BenchmarkOptions.read(SenderOptions.class, args);
		try (RedisServer server = RedisServer.start(); SenderContenders contenders = new SenderContenders(server)) {
			new BlockingSendersBenchmark(options, server, contenders).run();
		}
		System.exit(0);
	}

	private void run() {
		this.file.begin(Machine.now(this.server));
		for (int round = 1 - this.options.warmUp(); round <= this.options.rounds(); round++) {
			for (int threads : this.options.threads()) {
				List<String> order = new ArrayList<>(this.contenders.all().keySet());
				Collections.rotate(order, round);
				for (String contender : order) {
					Sample sample = measure(round, threads, contender);
					this.file.add(sample);
					if (round > 0) {
						this.samples.add(sample);
					}
				}
			}
			this.contenders.clear();
		}
		print();
	}

	private Sample measure(int round, int threads, String contender) {
		Runnable send = Objects.requireNonNull(this.contenders.all().get(contender));
		int messages = this.options.messages();
		double redis = redisMicros();
		long cpu = cpuNanos();
		long start = System.nanoTime();
		send(threads, messages, send);
		double seconds = (System.nanoTime() - start) / 1e9;
		return new Sample(round, threads, contender, messages / seconds, (cpuNanos() - cpu) / 1e3 / messages,
				(redisMicros() - redis) / messages);
	}

	private void send(int threads, int messages, Runnable send) {
		AtomicInteger left = new AtomicInteger(messages);
		AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
		CountDownLatch ends = new CountDownLatch(threads);
		for (int i = 0; i < threads; i++) {
			start(() -> {
				try {
					while (left.getAndDecrement() > 0) {
						send.run();
					}
				}
				catch (Throwable ex) {
					failure.set(ex);
				}
				ends.countDown();
			});
		}
		try {
			ends.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		Throwable thrown = failure.get();
		if (thrown != null) {
			throw new IllegalStateException("A send failed", thrown);
		}
	}

	private void start(Runnable sender) {
		if (this.options.virtual()) {
			new VirtualThreadTaskExecutor("sender-").execute(sender);
		}
		else {
			new Thread(sender).start();
		}
	}

	private static long cpuNanos() {
		return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
	}

	private double redisMicros() {
		RedisInfo info = RedisInfo.of(this.server, "cpu");
		return (Double.parseDouble(info.text("used_cpu_user")) + Double.parseDouble(info.text("used_cpu_sys"))) * 1e6;
	}

	private void print() {
		System.out.printf("%n%-8s %-9s %12s %24s %24s %16s %16s%n", "threads", "", "messages/s", "rate / lettuce",
				"rate / limit", "client CPU, µs", "Redis CPU, µs");
		for (int threads : this.options.threads()) {
			for (String contender : this.contenders.all().keySet()) {
				System.out.printf("%-8d %-9s %12s %24s %24s %16s %16s%n", threads, contender,
						spread(threads, contender, Sample::perSecond).median("%,.0f"),
						ratio(threads, contender, SenderContenders.LETTUCE), ratio(threads, contender, "limit"),
						spread(threads, contender, Sample::clientMicros).median("%.1f"),
						spread(threads, contender, Sample::redisMicros).median("%.1f"));
			}
		}
	}

	private String ratio(int threads, String contender, String other) {
		List<Double> ratios = new ArrayList<>();
		for (Sample sample : this.samples) {
			if (sample.threads == threads && sample.contender.equals(contender)) {
				this.samples.stream()
					.filter((each) -> each.round == sample.round && each.threads == threads
							&& each.contender.equals(other))
					.forEach((each) -> ratios.add(sample.perSecond / each.perSecond));
			}
		}
		return Spread.of(ratios).format("%.2f");
	}

	private Spread spread(int threads, String contender, ToDoubleFunction<Sample> figure) {
		return Spread.of(this.samples.stream()
			.filter((sample) -> sample.threads == threads && sample.contender.equals(contender))
			.map(figure::applyAsDouble)
			.toList());
	}

	/**
	 * What a contender made in a round with a number of threads.
	 *
	 * @param round the round, from 1; those before are the warm-up
	 * @param threads how many threads sent
	 * @param contender its name
	 * @param perSecond messages a second
	 * @param clientMicros what the client computed for a message
	 * @param redisMicros what Redis computed for a message
	 */
	private record Sample(int round, int threads, String contender, double perSecond, double clientMicros,
			double redisMicros) {

	}

}
