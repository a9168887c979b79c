package io.redelay.benchmarks.versions;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.redelay.benchmarks.RedisTime;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.QueueListener;
import org.jspecify.annotations.Nullable;

/**
 * One of the versions: its classes, an application that uses them, and a Redis.
 */
final class Version implements AutoCloseable {

	private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private static final OperatingSystemMXBean PROCESS = (OperatingSystemMXBean) ManagementFactory
		.getOperatingSystemMXBean();

	private final RedisServer server;

	private final URLClassLoader classes;

	private final UnaryOperator<String> application;

	/**
	 * Starts an application.
	 * @param library the classes of the module autoconfigure, or {@code null} for those
	 * of this version
	 */
	Version(@Nullable Path library) {
		this.server = RedisServer.start();
		this.classes = new URLClassLoader(classPath(library), ClassLoader.getPlatformClassLoader());
		this.application = within(() -> start(this.classes, this.server.uri().toString()));
	}

	private static URL[] classPath(@Nullable Path library) {
		Path present = Path.of(location(QueueListener.class));
		return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.map(Path::of)
			.map((entry) -> (library != null && entry.toAbsolutePath().equals(present)) ? library : entry)
			.map(Version::url)
			.toArray(URL[]::new);
	}

	private static String location(Class<?> type) {
		return new File(type.getProtectionDomain().getCodeSource().getLocation().getPath()).getAbsolutePath();
	}

	private static URL url(Path entry) {
		try {
			return entry.toUri().toURL();
		}
		catch (MalformedURLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@SuppressWarnings("unchecked") // an UnaryOperator<String>, see its class
	private static UnaryOperator<String> start(ClassLoader classes, String redis) {
		try {
			return (UnaryOperator<String>) classes.loadClass(VersionApplication.class.getName())
				.getConstructor(String.class)
				.newInstance(redis);
		}
		catch (InvocationTargetException ex) {
			throw new IllegalStateException("The application does not start", ex.getCause());
		}
		catch (ReflectiveOperationException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Does some work.
	 * @param work what is done
	 * @param messages how many messages there are
	 * @return what a message cost
	 */
	VersionCost measure(VersionWork work, int messages) {
		RedisTime redis = RedisTime.of(this.server);
		long cpu = PROCESS.getProcessCpuTime();
		long allocated = allocated();
		within(() -> this.application.apply(work + " " + messages));
		long allocatedSince = allocated() - allocated;
		long cpuSince = PROCESS.getProcessCpuTime() - cpu;
		RedisTime since = RedisTime.of(this.server).since(redis);
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

	private <T> T within(Supplier<T> action) {
		Thread thread = Thread.currentThread();
		ClassLoader before = thread.getContextClassLoader();
		thread.setContextClassLoader(this.classes);
		try {
			return action.get();
		}
		finally {
			thread.setContextClassLoader(before);
		}
	}

	@Override
	public void close() {
		try {
			within(() -> {
				close((AutoCloseable) this.application);
				return true;
			});
			this.classes.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			this.server.close();
		}
	}

	private static void close(AutoCloseable application) {
		try {
			application.close();
		}
		catch (Exception ex) {
			throw new IllegalStateException("The application does not end", ex);
		}
	}

}
