package io.redelay.embedded.redis;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;

/**
 * Ends the shared server of a port if no application uses it: a program of its own, run
 * after the JVM of an application was killed.
 */
final class UnusedServer {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final String NESTED = "jar:";

	private UnusedServer() {
	}

	public static void main(String[] arguments) {
		int port = Integer.parseInt(arguments[0]);
		Deadline deadline = new Deadline(PATIENCE);
		try (PortLock lock = PortLock.take(port, deadline)) {
			ServerLease lease = ServerLease.take(port);
			if (lease != null) {
				lease.release(deadline);
			}
		}
	}

	/**
	 * Returns a class path with which another JVM can run this program.
	 * @param directory where to copy this library to, if it is within another archive
	 */
	static String classPath(Path directory) {
		URL location = UnusedServer.class.getProtectionDomain().getCodeSource().getLocation();
		try {
			if (location.getProtocol().equals("file")) {
				return Path.of(location.toURI()).toString();
			}
			String archive = location.toString();
			archive = archive.startsWith(NESTED) ? archive.substring(NESTED.length()) : archive;
			archive = archive.endsWith("!/") ? archive.substring(0, archive.length() - 2) : archive;
			try (InputStream content = URI.create(archive).toURL().openStream()) {
				Path copy = Files.createDirectories(directory).resolve("redelay-embedded-redis.jar");
				Path part = Files.createTempFile(directory, "redelay-embedded-redis", ".part");
				Files.copy(content, part, StandardCopyOption.REPLACE_EXISTING);
				return Files.move(part, copy, StandardCopyOption.REPLACE_EXISTING).toString();
			}
		}
		catch (IOException | URISyntaxException | IllegalArgumentException ex) {
			throw new RedisStartException("Cannot copy '%s' to '%s'".formatted(location, directory), "", ex);
		}
	}

}
