package io.redelay.benchmarks.versions;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.redelay.autoconfigure.QueueAutoConfiguration;
import io.redelay.lock.LockTemplate;
import io.redelay.queue.QueueListener;
import io.redelay.queue.actuate.QueuesEndpoint;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * The classes of one of the versions, in a class loader of their own.
 */
final class VersionClasses implements AutoCloseable {

	/**
	 * One class of each module of the library.
	 */
	private static final List<Class<?>> LIBRARY = List.of(Scheduler.class, LockTemplate.class, QueueListener.class,
			QueuesEndpoint.class, QueueAutoConfiguration.class);

	private final URLClassLoader classes;

	private final Deque<AutoCloseable> applications = new ArrayDeque<>();

	/**
	 * Creates it.
	 * @param project where the version is built, or {@code null} for this version
	 * @param before what comes before its classes
	 */
	VersionClasses(@Nullable Path project, Path... before) {
		this.classes = new URLClassLoader(
				Stream.concat(Stream.of(before), classPath(project)).map(VersionClasses::url).toArray(URL[]::new),
				ClassLoader.getPlatformClassLoader());
	}

	/**
	 * The class path of this program, with the library's modules of a version.
	 */
	private static Stream<Path> classPath(@Nullable Path project) {
		Stream<Path> present = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
			.map(Path::of);
		if (project == null) {
			return present;
		}
		Set<Path> library = LIBRARY.stream().map(VersionClasses::location).collect(Collectors.toSet());
		return Stream.concat(VersionBuild.modules(project).stream(),
				present.filter((entry) -> !library.contains(entry.toAbsolutePath())));
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

	/**
	 * Starts an application on these classes, which ends before they do.
	 * @param application its class, of which these classes have another one of the same
	 * name
	 * @param redis where Redis is
	 * @return what it does at a word
	 */
	@SuppressWarnings("unchecked") // an UnaryOperator<String>, as its type says
	<T extends UnaryOperator<String> & AutoCloseable> UnaryOperator<String> start(Class<T> application, String redis) {
		return within(() -> {
			try {
				Object started = this.classes.loadClass(application.getName())
					.getConstructor(String.class)
					.newInstance(redis);
				this.applications.push((AutoCloseable) started);
				return (UnaryOperator<String>) started;
			}
			catch (InvocationTargetException ex) {
				throw new IllegalStateException("The application does not start", ex.getCause());
			}
			catch (ReflectiveOperationException ex) {
				throw new IllegalStateException(ex);
			}
		});
	}

	/**
	 * Does something with these classes as those of the thread.
	 */
	<T> T within(Supplier<T> action) {
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
			while (!this.applications.isEmpty()) {
				AutoCloseable application = this.applications.pop();
				within(() -> end(application));
			}
			this.classes.close();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static boolean end(AutoCloseable application) {
		try {
			application.close();
			return true;
		}
		catch (Exception ex) {
			throw new IllegalStateException("The application does not end", ex);
		}
	}

}
