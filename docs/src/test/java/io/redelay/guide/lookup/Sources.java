package io.redelay.guide.lookup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The types of the modules that an application uses.
 */
final class Sources {

	static final List<String> MODULES = List.of("support", "lock", "queue", "autoconfigure", "actuator", "outbox",
			"modulith", "embedded-redis", "starter-test", "console");

	private final List<JavaType> types = new ArrayList<>();

	/**
	 * Reads the sources.
	 * @param root the folder of the modules
	 * @throws IOException if a file cannot be read
	 */
	Sources(Path root) throws IOException {
		for (String module : MODULES) {
			try (Stream<Path> files = Files.walk(root.resolve(module + "/src/main/java"))) {
				for (Path file : files.filter((each) -> each.toString().endsWith(".java")).sorted().toList()) {
					this.types.addAll(JavaType.of(Files.readString(file)));
				}
			}
		}
	}

	Stream<JavaType> all(Predicate<JavaType> which) {
		return this.types.stream().filter(which);
	}

	/**
	 * Finds a type by its name: a nested one, one next to it, or any other.
	 * @param name the simple name, or that of an enclosing type, a dot and the name
	 * @param user the type that uses it
	 * @return the type, if it is one of these modules
	 */
	Optional<JavaType> find(String name, JavaType user) {
		int dot = name.indexOf('.');
		String simple = name.substring(dot + 1);
		List<String> around = (dot > 0) ? List.of(name.substring(0, dot)) : List.of(user.name(), user.enclosing(), "");
		return all((type) -> type.name().equals(simple) && around.contains(type.enclosing()))
			.max(Comparator.<JavaType, Boolean>comparing((type) -> type.enclosing().equals(user.name()))
				.thenComparing((type) -> !type.enclosing().isEmpty())
				.thenComparing((type) -> type.packageName().equals(user.packageName())));
	}

}
