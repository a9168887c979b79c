package io.redelay.benchmarks.versions;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.redelay.benchmarks.RedisTime;
import io.redelay.embedded.redis.RedisServer;
import org.jspecify.annotations.Nullable;

/**
 * One of the versions: its classes, an application that uses them, and a Redis.
 */
final class Version implements AutoCloseable {

	private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private static final OperatingSystemMXBean PROCESS = (OperatingSystemMXBean) ManagementFactory
		.getOperatingSystemMXBean();

	private final RedisServer server;

	private final VersionClasses classes;

	private final UnaryOperator<String> application;

	/**
	 * Starts an application.
	 * @param project where the version is built, or {@code null} for this version
	 */
	Version(@Nullable Path project) {
		this.server = RedisServer.start();
		this.classes = new VersionClasses(project);
		this.application = this.classes.start(VersionApplication.class, this.server.uri().toString());
	}

	/**
	 * Does some work.
	 * @param work what is done
	 * @param messages how many messages there are
	 * @return what a message cost
	 */
	VersionCost measure(VersionWork work, int messages) {
		this.classes.within(() -> this.application.apply("PREPARE " + work + " " + messages));
		RedisTime redis = RedisTime.of(this.server);
		long cpu = PROCESS.getProcessCpuTime();
		long allocated = allocated();
		this.classes.within(() -> this.application.apply("MEASURE " + work + " " + messages));
		long allocatedSince = allocated() - allocated;
		long cpuSince = PROCESS.getProcessCpuTime() - cpu;
		RedisTime since = RedisTime.of(this.server).since(redis);
		this.classes.within(() -> this.application.apply("FINISH " + work + " " + messages));
		return new VersionCost((double) since.commands() / messages, since.microsPer(messages),
				cpuSince / 1e3 / messages, (double) allocatedSince / messages);
	}

	/**
	 * What all threads that live have allocated, in bytes.
	 */
	private static long allocated() {
		return LongStream.of(THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds()))
			.filter((bytes) -> bytes > 0)
			.sum();
	}

	@Override
	public void close() {
		this.classes.close();
		this.server.close();
	}

}
