package io.redelay.queue.notes;

/**
 * Turns a report of a handler into one line that can be shown anywhere. It has a blank
 * for each control character and a replacement character for each half of a surrogate
 * pair, and is cut where it is too long.
 */
final class ReportText {

	/**
	 * How many characters a text has at most.
	 */
	static final int LONGEST = 1000;

	private static final char REPLACEMENT = '\uFFFD';

	private ReportText() {
	}

	static String of(String text) {
		int length = Math.min(text.length(), LONGEST);
		StringBuilder changed = null;
		for (int i = 0; i < length; i++) {
			char shown = shown(text, i, length);
			if (shown != text.charAt(i) && changed == null) {
				changed = new StringBuilder(length + 1).append(text, 0, i);
			}
			if (changed != null) {
				changed.append(shown);
			}
		}
		String line = (changed != null) ? changed.toString() : text.substring(0, length);
		return (length < text.length()) ? line + '…' : line;
	}

	private static char shown(String text, int at, int length) {
		char character = text.charAt(at);
		if (Character.isISOControl(character)) {
			return ' ';
		}
		boolean isWhole = !Character.isSurrogate(character) || (Character.isHighSurrogate(character)
				? at + 1 < length && Character.isLowSurrogate(text.charAt(at + 1))
				: at > 0 && Character.isHighSurrogate(text.charAt(at - 1)));
		return isWhole ? character : REPLACEMENT;
	}

}
