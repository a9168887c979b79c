package io.redelay.queue.actuate;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * Text of unknown origin that goes into a response: of bounded length, and such that it
 * can be written as UTF-8.
 *
 * @param text the text
 * @param truncated whether it was cut
 */
record BoundedText(String text, boolean truncated) {

	/**
	 * The most characters of a text of a failure, of progress and the like.
	 */
	private static final int SHORT = 4000;

	/**
	 * Cuts a text, and replaces halves of characters.
	 */
	static BoundedText of(String text, int most) {
		boolean truncated = text.length() > most;
		String cut = truncated ? text.substring(0, most) : text;
		return new BoundedText(new String(cut.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8), truncated);
	}

	/**
	 * Cuts a text of a failure, of progress and the like.
	 */
	static @Nullable String brief(@Nullable String text) {
		return (text != null) ? of(text, SHORT).text() : null;
	}

}
