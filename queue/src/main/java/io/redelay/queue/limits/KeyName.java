package io.redelay.queue.limits;

import org.jspecify.annotations.Nullable;

/**
 * The grammar of the keys that messages are ordered, shared out or limited by: any text
 * that is not blank, not longer than {@value #LONGEST} characters, and without control
 * characters, which the scripts put between keys.
 *
 * @since 0.1.0
 */
public final class KeyName {

	/**
	 * How many characters a key has at most.
	 */
	public static final int LONGEST = 256;

	private KeyName() {
	}

	/**
	 * Returns what is wrong with a text as a key.
	 * @param key the text
	 * @return the end of a sentence that begins with what the text is, or {@code null} if
	 * it is a key
	 */
	public static @Nullable String problem(@Nullable String key) {
		if (key == null) {
			return "is null";
		}
		if (key.isBlank()) {
			return "is blank";
		}
		if (key.length() > LONGEST) {
			return "has " + key.length() + " characters, and a key has at most " + LONGEST;
		}
		if (LoneSurrogates.firstIn(key) >= 0) {
			return "has half a character, a lone surrogate";
		}
		return key.chars().anyMatch(Character::isISOControl) ? "has a control character" : null;
	}

}
