package io.redelay.queue.observation;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A position in a trace, as it travels with a message: as W3C's {@code traceparent}
 * writes it, or as the one header {@code b3} does.
 *
 * @param traceId 32 hexadecimal digits
 * @param spanId 16 hexadecimal digits
 * @param sampled whether the trace is recorded
 */
record TraceParent(String traceId, String spanId, boolean sampled) {

	private static final Pattern W3C = Pattern
		.compile("(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-((?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-.*)?");

	private static final Pattern B3 = Pattern
		.compile("((?!0+-)(?:[0-9a-f]{16}){1,2})-((?!0{16})[0-9a-f]{16})(?:-([01d])(?:-[0-9a-f]{16})?)?");

	private static final int LONGEST = 200;

	/**
	 * Reads the position that a message was sent at.
	 * @param headers the headers of the message, which may come from any sender
	 * @return the position, or {@code null} if no valid one is there
	 */
	static @Nullable TraceParent of(Map<String, Object> headers) {
		if (headers.get("traceparent") instanceof String w3c) {
			return parse(w3c);
		}
		return (headers.get("b3") instanceof String b3) ? parseB3(b3) : null;
	}

	/**
	 * Reads a position.
	 * @param text what {@link #toString()} wrote
	 * @return the position, or {@code null} if it is not valid
	 */
	static @Nullable TraceParent parse(String text) {
		Matcher matcher = W3C.matcher(text);
		return (text.length() <= LONGEST && matcher.matches())
				? new TraceParent(matcher.group(1), matcher.group(2), (Integer.parseInt(matcher.group(3), 16) & 1) == 1)
				: null;
	}

	private static @Nullable TraceParent parseB3(String text) {
		Matcher matcher = B3.matcher(text);
		if (!matcher.matches()) {
			return null;
		}
		String trace = matcher.group(1);
		return new TraceParent((trace.length() == 16) ? "0".repeat(16) + trace : trace, matcher.group(2),
				!"0".equals(matcher.group(3)));
	}

	@Override
	public String toString() {
		return "00-" + this.traceId + "-" + this.spanId + (this.sampled ? "-01" : "-00");
	}

}
