package io.redelay.embedded.redis;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Reads replies of the Redis protocol, version 2.
 *
 * @param source the bytes that the server sends
 */
record RespReader(InputStream source) {

	private static final int LONGEST_LINE = 64 * 1024;

	@Nullable Object read() throws IOException {
		String line = readLine();
		if (line.isEmpty()) {
			throw new IOException("The server does not speak the Redis protocol: it sent an empty line");
		}
		String rest = line.substring(1);
		return switch (line.charAt(0)) {
			case '+' -> rest;
			case '-' -> new ErrorReply(rest);
			case ':' -> number(rest);
			case '$' -> readText((int) number(rest));
			case '*' -> readList((int) number(rest));
			default ->
				throw new IOException("The server does not speak the Redis protocol: it sent '%s'".formatted(line));
		};
	}

	private @Nullable String readText(int length) throws IOException {
		if (length < 0) {
			return null;
		}
		byte[] bytes = this.source.readNBytes(length);
		if (bytes.length < length || !readLine().isEmpty()) {
			throw new EOFException("The reply ended after %d of %d bytes".formatted(bytes.length, length));
		}
		return new String(bytes, StandardCharsets.UTF_8);
	}

	private @Nullable List<@Nullable Object> readList(int size) throws IOException {
		if (size < 0) {
			return null;
		}
		List<@Nullable Object> elements = new ArrayList<>();
		for (int i = 0; i < size; i++) {
			elements.add(read());
		}
		return elements;
	}

	private String readLine() throws IOException {
		StringBuilder line = new StringBuilder();
		while (line.length() < LONGEST_LINE) {
			int next = this.source.read();
			if (next < 0) {
				throw new EOFException("The server closed the connection");
			}
			if (next == '\n') {
				return line.toString().stripTrailing();
			}
			line.append((char) next);
		}
		throw new IOException("The server does not speak the Redis protocol: it sent a line without an end");
	}

	private static long number(String text) throws IOException {
		try {
			return Long.parseLong(text);
		}
		catch (NumberFormatException ex) {
			throw new IOException("The server does not speak the Redis protocol: '%s' is not a number".formatted(text),
					ex);
		}
	}

	/**
	 * An error in place of a reply; inside a list it is an element like others.
	 */
	record ErrorReply(String message) {

	}

}
