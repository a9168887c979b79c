package io.redelay.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import tools.jackson.databind.json.JsonMapper;

/**
 * A file with a line of JSON for each thing that was measured. What is in it stays there
 * if a later measurement fails.
 *
 * @param file the file
 * @since 0.1.0
 */
public record JsonLines(Path file) {

	/**
	 * Begins the file anew.
	 * @param first what all of it is true of
	 */
	public void begin(Object first) {
		try {
			Files.createDirectories(this.file.toAbsolutePath().getParent());
			Files.writeString(this.file, line(first));
		}
		catch (IOException ex) {
			throw failed(ex);
		}
	}

	/**
	 * Adds a line.
	 * @param value what was measured
	 */
	public void add(Object value) {
		try {
			Files.writeString(this.file, line(value), StandardOpenOption.APPEND);
		}
		catch (IOException ex) {
			throw failed(ex);
		}
	}

	/**
	 * Writes something as it would be in the file.
	 * @param value what was measured
	 * @return a line of JSON
	 */
	public static String line(Object value) {
		return new String(JsonMapper.shared().writeValueAsBytes(value), StandardCharsets.UTF_8) + "\n";
	}

	private UncheckedIOException failed(IOException ex) {
		return new UncheckedIOException("Cannot write '%s'".formatted(this.file), ex);
	}

}
