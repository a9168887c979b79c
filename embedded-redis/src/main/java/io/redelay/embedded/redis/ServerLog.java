package io.redelay.embedded.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * The file that a server logs to.
 */
record ServerLog(Path file) {

	private static final int TAIL = 40;

	/**
	 * Returns the last lines.
	 */
	String tail() {
		List<String> lines = text().lines().toList();
		return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL), lines.size()));
	}

	String text() {
		try {
			return new String(Files.readAllBytes(this.file), StandardCharsets.UTF_8);
		}
		catch (NoSuchFileException ex) {
			return "";
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot read '%s'".formatted(this.file), ex);
		}
	}

}
