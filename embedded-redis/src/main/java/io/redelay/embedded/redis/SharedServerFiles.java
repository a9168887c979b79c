package io.redelay.embedded.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The files of a shared server. The name of its configuration file, which a server
 * reports, marks it as ours.
 *
 * @param directory the directory of the server's data
 * @param port its port
 */
record SharedServerFiles(Path directory, int port) {

	private static final String MARK = "redelay-embedded-redis.conf";

	static boolean areMarkedBy(String configurationFile) {
		return configurationFile.endsWith("/" + MARK);
	}

	static Path directoryOf(String configurationFile) {
		return Path.of(configurationFile).resolveSibling("");
	}

	/**
	 * Whether a server that was started with the file is the one that would be started
	 * now.
	 */
	boolean describe(String configurationFile) {
		try {
			return Files.exists(configuration()) && Files.isSameFile(configuration(), Path.of(configurationFile))
					&& Files.readString(configuration()).equals(text());
		}
		catch (IOException ex) {
			return false;
		}
	}

	Path write() {
		try {
			Files.createDirectories(this.directory);
			Files.deleteIfExists(log().file());
			return Files.writeString(configuration(), text());
		}
		catch (IOException ex) {
			throw new RedisStartException("Cannot write to '%s'".formatted(this.directory), "", ex);
		}
	}

	ServerLog log() {
		return new ServerLog(this.directory.resolve("redis.log"));
	}

	Path executable() {
		return RedisExecutable.keptIn(this.directory.resolve("bin"));
	}

	/**
	 * Returns the class path of a JVM that ends the server.
	 */
	String classPath() {
		return UnusedServer.classPath(this.directory.resolve("bin"));
	}

	private Path configuration() {
		return this.directory.resolve(MARK);
	}

	/**
	 * As a daemon the server leads a session of its own, so Ctrl+C in the terminal that
	 * started it does not reach it. Data written before a reply survives a kill of the
	 * server; a power cut may cost a second.
	 */
	private String text() {
		return new ServerConfiguration().set("bind", RedisServer.HOST)
			.set("port", this.port)
			.set("dir", this.directory)
			.set("daemonize", "yes")
			.set("logfile", log().file())
			.set("pidfile", this.directory.resolve("redis.pid"))
			.set("save", "")
			.set("appendonly", "yes")
			.set("appendfsync", "everysec")
			.text();
	}

}
