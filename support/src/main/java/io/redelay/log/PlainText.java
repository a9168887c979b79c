package io.redelay.log;

/**
 * Text in which each character is seen as what it is: line breaks, other control
 * characters, characters that change the direction of text, and halves of characters are
 * written as escapes, such as {@code \n} or <code>&#92;u202e</code>.
 *
 * @since 0.1.0
 */
public final class PlainText {

	private PlainText() {
	}

	/**
	 * Writes a text with escapes.
	 * @param text the text
	 * @return the text itself if it needs none
	 */
	public static String of(String text) {
		StringBuilder plain = null;
		for (int i = 0; i < text.length();) {
			int character = text.codePointAt(i);
			int next = i + Character.charCount(character);
			boolean isPlain = isPlain(character);
			if (!isPlain && plain == null) {
				plain = new StringBuilder(text.length() + 16).append(text, 0, i);
			}
			if (plain != null && isPlain) {
				plain.appendCodePoint(character);
			}
			else if (plain != null) {
				escape(plain, text, i, next);
			}
			i = next;
		}
		return (plain != null) ? plain.toString() : text;
	}

	private static boolean isPlain(int character) {
		if (character >= ' ' && character < 0x7f) {
			return true;
		}
		return switch (Character.getType(character)) {
			case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.LINE_SEPARATOR,
					Character.PARAGRAPH_SEPARATOR ->
				false;
			default -> true;
		};
	}

	private static void escape(StringBuilder plain, String text, int from, int to) {
		for (int i = from; i < to; i++) {
			char character = text.charAt(i);
			switch (character) {
				case '\n' -> plain.append("\\n");
				case '\r' -> plain.append("\\r");
				case '\t' -> plain.append("\\t");
				default -> plain.append("\\u").append(Integer.toHexString(0x10000 | character), 1, 5);
			}
		}
	}

}
