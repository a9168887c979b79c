package io.redelay.benchmarks.soak;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Objects;
import java.util.stream.Stream;

import io.redelay.benchmarks.RedisInfo;
import io.redelay.embedded.redis.RedisServer;

/**
 * Looks at the application and its Redis.
 */
final class SoakSampler {

	private final RedisServer server;

	private final SoakApplication.Parcels parcels;

	private final long start = System.nanoTime();

	SoakSampler(RedisServer server, SoakApplication.Parcels parcels) {
		this.server = server;
		this.parcels = parcels;
	}

	SoakSample sample() {
		System.gc();
		long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
		double seconds = (System.nanoTime() - this.start) / 1e9;
		ThreadMXBean threads = ManagementFactory.getThreadMXBean();
		int handlers = (int) Stream.of(threads.getThreadInfo(threads.getAllThreadIds()))
			.filter((thread) -> thread != null && thread.getThreadName().startsWith("redelay-handler-"))
			.count();
		return new SoakSample(seconds, heap, threads.getThreadCount() - handlers, handlers,
				RedisInfo.of(this.server, "clients").number("connected_clients") - 1, count("DBSIZE"),
				RedisInfo.of(this.server, "memory").number("used_memory"),
				count("HLEN", "redelay:{" + SoakApplication.QUEUE + "}:messages"), this.parcels.ledger().handled(),
				this.parcels.lateness().takeP99());
	}

	private long count(String... command) {
		return (Long) Objects.requireNonNull(this.server.command(command));
	}

}
