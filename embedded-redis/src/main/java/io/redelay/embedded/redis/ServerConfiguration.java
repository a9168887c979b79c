package io.redelay.embedded.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The lines of a redis.conf. Of two lines for one setting the later one counts.
 */
final class ServerConfiguration {

	private final List<String> lines = new ArrayList<>();

	ServerConfiguration set(String name, Object value) {
		return add("%s %s".formatted(name, quote(value.toString())));
	}

	ServerConfiguration add(String line) {
		if (line.isBlank() || line.lines().count() != 1) {
			throw new IllegalArgumentException("'line' must be one line of a redis.conf, not '%s'".formatted(line));
		}
		this.lines.add(line.strip());
		return this;
	}

	ServerConfiguration addAll(List<String> lines) {
		lines.forEach(this::add);
		return this;
	}

	String text() {
		return String.join("\n", this.lines) + "\n";
	}

	void writeTo(Path file) {
		try {
			Files.writeString(file, text());
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot write '%s'".formatted(file), ex);
		}
	}

	private static String quote(String value) {
		return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
	}

}
