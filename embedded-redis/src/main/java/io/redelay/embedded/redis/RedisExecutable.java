package io.redelay.embedded.redis;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Where the redis-server executable comes from: a path given in a system property, else
 * the one that a Maven package carries.
 */
final class RedisExecutable {

	static final String PROPERTY = "redelay.test.redis-server";

	private static final String VERSION = "7.0.15";

	private RedisExecutable() {
	}

	/**
	 * Returns the executable, which is extracted once in a JVM and deleted when it ends.
	 */
	static Path get() {
		Path given = given();
		return (given != null) ? given : Extracted.PATH;
	}

	/**
	 * Returns the executable, kept in a directory where it outlives this JVM.
	 * @param directory where to extract it to, if it is not there yet
	 */
	static Path keptIn(Path directory) {
		Path given = given();
		return (given != null) ? given : extract(directory);
	}

	private static @Nullable Path given() {
		String path = System.getProperty(PROPERTY);
		if (path == null || path.isBlank()) {
			return null;
		}
		Path executable = Path.of(path.strip());
		if (!Files.isExecutable(executable)) {
			throw new IllegalStateException(
					"System property '%s' is '%s', which is not an executable file".formatted(PROPERTY, path));
		}
		return executable.toAbsolutePath();
	}

	private static Path extract(Path directory) {
		String name = "redis-server-%s-%s".formatted(VERSION,
				platform(System.getProperty("os.name"), System.getProperty("os.arch")));
		Path executable = directory.resolve(name);
		if (Files.isExecutable(executable)) {
			return executable;
		}
		try (InputStream content = RedisExecutable.class.getResourceAsStream("/" + name)) {
			if (content == null) {
				throw new FileNotFoundException("'%s' is not on the class path".formatted(name));
			}
			// The file only appears when it is complete.
			Path part = Files.createTempFile(Files.createDirectories(directory), name, ".part");
			Files.copy(content, part, StandardCopyOption.REPLACE_EXISTING);
			if (!part.toFile().setExecutable(true)) {
				throw new IOException("'%s' cannot be made executable".formatted(part));
			}
			return Files.move(part, executable, StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			throw new RedisStartException("Cannot extract redis-server to '%s'".formatted(directory), "", ex);
		}
	}

	static String platform(String os, String architecture) {
		String system = os.toLowerCase(Locale.ROOT);
		String kernel = system.startsWith("mac") ? "darwin" : system.startsWith("linux") ? "linux" : null;
		String processor = switch (architecture.toLowerCase(Locale.ROOT)) {
			case "amd64", "x86_64" -> "amd64";
			case "aarch64", "arm64" -> "arm64";
			case "x86", "i386", "i486", "i586", "i686" -> "linux".equals(kernel) ? "386" : null;
			default -> null;
		};
		if (kernel == null || processor == null) {
			throw new IllegalStateException(
					"There is no embedded redis-server for '%s' on '%s'. Set the system property '%s' to an executable of your own, or spring.data.redis.* to a running server"
						.formatted(os, architecture, PROPERTY));
		}
		return kernel + "-" + processor;
	}

	/**
	 * Initialized with the first server that needs it.
	 */
	private static final class Extracted {

		static final Path PATH = extract(TemporaryDirectory.untilExit("redelay-redis-server-").path());

	}

}
