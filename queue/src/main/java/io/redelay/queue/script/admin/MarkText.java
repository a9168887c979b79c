package io.redelay.queue.script.admin;

import io.redelay.log.PlainText;

/**
 * Texts in marks: short ones in which each character is seen, so that none is the end of
 * a word of a mark.
 *
 * @since 0.1.0
 */
public final class MarkText {

	private static final int LONGEST = 100;

	private MarkText() {
	}

	/**
	 * Returns a text as it is put into a mark.
	 * @param text the text
	 * @return the text, plain and cut
	 */
	public static String of(String text) {
		String plain = PlainText.of(text);
		return (plain.length() > LONGEST) ? PlainText.of(plain.substring(0, LONGEST)) + "…" : plain;
	}

}
