package io.redelay.queue.limits;

/**
 * Finds halves of characters in text: surrogates without the other half, which UTF-8
 * cannot hold. They would all become the same question mark.
 *
 * @since 0.1.0
 */
public final class LoneSurrogates {

	private LoneSurrogates() {
	}

	/**
	 * Finds the first surrogate without its other half.
	 * @param text the text
	 * @return its position, or -1 if there is none
	 */
	public static int firstIn(String text) {
		for (int i = 0; i < text.length(); i++) {
			if (Character.isSurrogate(text.charAt(i))) {
				if (!Character.isSurrogatePair(text.charAt(i), (i + 1 < text.length()) ? text.charAt(i + 1) : 0)) {
					return i;
				}
				i++;
			}
		}
		return -1;
	}

}
