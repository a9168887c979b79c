package io.redelay.benchmarks.growth;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.redelay.benchmarks.BenchmarkOptions;
import io.redelay.benchmarks.JsonLines;
import io.redelay.benchmarks.Machine;
import io.redelay.benchmarks.RedisInfo;
import io.redelay.benchmarks.RedissonConnection;
import io.redelay.benchmarks.SampleEnvelope;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.ScriptListeners;
import io.redelay.queue.wire.RedisAvailability;
import org.redisson.api.RedissonClient;

/**
 * Measures how long Redis computes a claim while more and more messages wait, or are
 * scheduled for later. It is Redis' own clock, so neither the network nor this process is
 * part of it.
 * <p>
 * A queue only grows, so the sizes cannot take turns: at the end the smallest one is
 * measured again, on an empty Redis, which shows how much the machine has drifted.
 * <p>
 * Run by hand: see {@code benchmarks/README.md}.
 *
 * @since 0.1.0
 */
public final class GrowthBenchmark {

	/**
	 * How many claims are made before the backlog is filled up again.
	 */
	private static final int CLAIMS_TOGETHER = 5;

	static final int LEAST_BACKLOG = 2 * CLAIMS_TOGETHER * GrowthQueue.BATCH;

	/**
	 * How many messages are ready beside those that are scheduled.
	 */
	private static final int READY = 10_000;

	private final GrowthOptions options;

	private final byte[] envelope;

	private final RedisServer server;

	private final RedissonClient redisson;

	private final ScheduledExecutorService timer;

	private final GrowthReport report;

	private GrowthBenchmark(GrowthOptions options, GrowthReport report, RedisServer server, RedissonClient redisson,
			ScheduledExecutorService timer) {
		this.options = options;
		this.envelope = SampleEnvelope.of(options.bytes());
		this.server = server;
		this.redisson = redisson;
		this.timer = timer;
		this.report = report;
	}

	/**
	 * Measures, prints and writes.
	 * @param args {@code --backlogs=10000,100000}, {@code --scheduled},
	 * {@code --rounds=5}, {@code --claims=200}, {@code --bytes=200},
	 * {@code --output=target/growth.jsonl}
	 */
	public static void main(String... args) {
		GrowthOptions options = BenchmarkOptions.read(GrowthOptions.class, args);
		ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
		try (RedisServer server = RedisServer.start()) {
			JsonLines file = new JsonLines(options.output());
			file.begin(Machine.now(server));
			RedissonClient redisson = RedissonConnection.open(server.uri());
			try {
				GrowthReport report = new GrowthReport(file, System.out);
				GrowthBenchmark benchmark = new GrowthBenchmark(options, report, server, redisson, timer);
				benchmark.warmUp();
				benchmark.run(Backlog.WAITING);
				if (options.scheduled()) {
					benchmark.run(Backlog.SCHEDULED);
				}
				report.print();
			}
			finally {
				redisson.shutdown();
			}
		}
		finally {
			timer.shutdownNow();
		}
	}

	/**
	 * Has Redis know the scripts and have its buffers, so that neither counts.
	 */
	private void warmUp() {
		GrowthQueue queue = queue();
		queue.fill(Backlog.WAITING, READY);
		queue.open();
		claim(queue);
		queue.close();
	}

	private void run(Backlog backlog) {
		run(backlog, this.options.backlogs(), false);
		run(backlog, this.options.backlogs().subList(0, 1), true);
	}

	private void run(Backlog backlog, List<Integer> sizes, boolean again) {
		this.server.command("FLUSHALL");
		GrowthQueue queue = queue();
		if (backlog != Backlog.WAITING) {
			queue.fill(Backlog.WAITING, READY);
		}
		int filled = 0;
		long memory = 0;
		for (int size : sizes) {
			long before = memory();
			queue.fill(backlog, size - filled);
			memory += memory() - before;
			filled = size;
			measure(backlog, size, again, queue, (double) memory / size);
		}
	}

	private GrowthQueue queue() {
		return new GrowthQueue(new QueueScripts(this.redisson, "redelay-benchmark", Duration.ofSeconds(30), this.timer,
				ReplayMemory.NONE, new RedisAvailability(this.timer), ScriptListeners.none()), this.envelope);
	}

	private void measure(Backlog backlog, int size, boolean again, GrowthQueue queue, double bytes) {
		queue.open();
		for (int round = 0; round <= this.options.rounds(); round++) {
			ScriptTime time = claim(queue);
			if (round > 0) {
				verify(time);
				this.report.add(new GrowthSample(backlog, size, again, round, this.options.claims(),
						time.microsPerCall(), bytes));
			}
		}
		queue.close();
	}

	private void verify(ScriptTime time) {
		if (time.calls() != this.options.claims()) {
			throw new IllegalStateException(
					"Redis ran %d scripts for %d claims".formatted(time.calls(), this.options.claims()));
		}
	}

	/**
	 * Makes the claims of a round, and sends as many messages in between as they take.
	 */
	private ScriptTime claim(GrowthQueue queue) {
		ScriptTime time = ScriptTime.NONE;
		for (int made = 0; made < this.options.claims(); made += CLAIMS_TOGETHER) {
			int together = Math.min(CLAIMS_TOGETHER, this.options.claims() - made);
			ScriptTime before = ScriptTime.of(this.server);
			for (int i = 0; i < together; i++) {
				queue.claim();
			}
			time = time.plus(ScriptTime.of(this.server).since(before));
			queue.fill(Backlog.WAITING, together * GrowthQueue.BATCH);
		}
		return time;
	}

	/**
	 * What the messages take, without the buffers of connections.
	 */
	private long memory() {
		return RedisInfo.of(this.server, "memory").number("used_memory_dataset");
	}

}
