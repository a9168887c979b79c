package io.redelay.benchmarks.start;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A kind of application, with the jars that its starter brings and no others.
 */
enum StartedKind {

	DATA("spring-data-redis", "Data", Jars.DATA),

	REDISSON("Redisson alone", "Redisson", Jars.REDISSON),

	LOCK("Redelay's locks", "Lock",
			Jars.REDISSON + "|spring-boot-(data-redis|data-commons|persistence|transaction|netty)-"
					+ "|spring-(data-|tx-|oxm|context-support)|jakarta\\.(xml\\.bind|activation)"),

	REDELAY("Redelay", "Queue", Jars.DATA + "|" + Jars.REDISSON + "|spring-boot-(starter-)?jackson-|spring-messaging-");

	private final String title;

	private final String application;

	private final Pattern jars;

	StartedKind(String title, String application, String jars) {
		this.title = title;
		this.application = "io.redelay.benchmarks.start.application." + application + "Application";
		this.jars = Pattern.compile("(" + Jars.ALWAYS + "|" + jars + ").*\\.jar");
	}

	String title() {
		return this.title;
	}

	String application() {
		return this.application;
	}

	boolean isOurs() {
		return !modules().isEmpty();
	}

	/**
	 * Returns the modules of Redelay that its starter brings.
	 */
	private List<String> modules() {
		return switch (this) {
			case DATA, REDISSON -> List.of();
			case LOCK -> List.of("support", "lock", "autoconfigure");
			case REDELAY -> List.of("support", "lock", "queue", "actuator", "autoconfigure");
		};
	}

	/**
	 * Returns the class path.
	 * @param earlier the folder in which an earlier version of Redelay is compiled, or
	 * {@code null} for this one
	 */
	List<Path> classPath(@Nullable Path earlier) {
		List<Path> all = Arrays
			.stream(System.getProperty("java.class.path").split(System.getProperty("path.separator")))
			.map(Path::of)
			.toList();
		Stream<Path> jars = all.stream().filter((path) -> this.jars.matcher(path.getFileName().toString()).matches());
		Stream<Path> own = all.stream().filter((path) -> isOf(path, "benchmarks"));
		Stream<Path> modules = (earlier != null)
				? modules().stream().map((module) -> earlier.resolve(module).resolve("target/classes"))
				: all.stream().filter((path) -> modules().stream().anyMatch((module) -> isOf(path, module)));
		return Stream.of(own, modules, jars).flatMap((each) -> each).toList();
	}

	/**
	 * Returns whether a module is there, as a folder of classes or as a jar.
	 */
	private static boolean isOf(Path path, String module) {
		String name = path.getFileName().toString();
		return name.matches("redelay-(spring-boot-)?" + module + "-\\d.*\\.jar")
				|| (name.equals("classes") && path.toString().replace('\\', '/').contains("/" + module + "/target/"));
	}

	/**
	 * The names of jars, as patterns.
	 */
	private static final class Jars {

		static final String DATA = "spring-boot-(data-redis|data-commons|persistence|transaction|netty"
				+ "|starter-data-redis)-|spring-(data-|tx-|oxm|context-support)|lettuce-|redis-authx|netty-|reactor-core"
				+ "|reactive-streams|jakarta\\.(xml\\.bind|activation)";

		static final String REDISSON = "redisson-|netty-|cache-api|reactor-core|reactive-streams|rxjava|kryo"
				+ "|reflectasm|objenesis|minlog|byte-buddy-\\d|jodd-util|jackson-";

		static final String ALWAYS = "spring-boot-(\\d|autoconfigure-|starter-\\d|starter-logging)"
				+ "|spring-(aop|beans|core|context|expression)-\\d|commons-logging|logback|log4j-|jul-|slf4j|snakeyaml"
				+ "|jakarta\\.annotation|micrometer-(observation|commons)-\\d|jspecify";

	}

}
