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
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.benchmarks.RedisTime;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.lock.LockTemplate;
import io.redelay.queue.QueueListener;
import io.redelay.queue.actuate.QueuesEndpoint;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * One of the versions: its classes, an application that uses them, and a Redis.
 */
final class Version implements AutoCloseable {

	private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private static final OperatingSystemMXBean PROCESS = (OperatingSystemMXBean) ManagementFactory
		.getOperatingSystemMXBean();

	/**
	 * One class of each module of the library.
	 */
	private static final List<Class<?>> LIBRARY = List.of(Scheduler.class, LockTemplate.class, QueueListener.class,
			QueuesEndpoint.class, QueueAutoConfiguration.class);

	private final RedisServer server;

	private final URLClassLoader classes;

	private final UnaryOperator<String> application;

	/**
	 * Starts an application.
	 * @param project where the version is built, or {@code null} for this version
	 */
	Version(@Nullable Path project) {
		this.server = RedisServer.start();
		this.classes = new URLClassLoader(classPath(project), ClassLoader.getPlatformClassLoader());
		this.application = within(() -> start(this.classes, this.server.uri().toString()));
	}

	/**
	 * The class path of this program, with the library's modules of a version.
	 */
	private static URL[] classPath(@Nullable Path project) {
		Stream<Path> present = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.map(Path::of);
		if (project == null) {
			return present.map(Version::url).toArray(URL[]::new);
		}
		Set<Path> library = LIBRARY.stream().map(Version::location).collect(Collectors.toSet());
		return Stream
			.concat(VersionBuild.modules(project).stream(),
					present.filter((entry) -> !library.contains(entry.toAbsolutePath())))
			.map(Version::url)
			.toArray(URL[]::new);
	}

	private static Path location(Class<?> type) {
		return Path.of(new File(type.getProtectionDomain().getCodeSource().getLocation().getPath()).getAbsolutePath());
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
		within(() -> this.application.apply("PREPARE " + work + " " + messages));
		RedisTime redis = RedisTime.of(this.server);
		long cpu = PROCESS.getProcessCpuTime();
		long allocated = allocated();
		within(() -> this.application.apply("MEASURE " + work + " " + messages));
		long allocatedSince = allocated() - allocated;
		long cpuSince = PROCESS.getProcessCpuTime() - cpu;
		RedisTime since = RedisTime.of(this.server).since(redis);
		within(() -> this.application.apply("FINISH " + work + " " + messages));
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
