package io.redelay.queue.message;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Bytes behind a head of text, as they are stored.
 *
 * @param head the text
 * @param rest the bytes
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared or
											// changed
record HeadedBytes(String head, byte[] rest) {

	/**
	 * Reads what was stored.
	 * @param end the first character behind the head
	 */
	static HeadedBytes read(byte[] stored, char end) {
		int length = 0;
		while (length < stored.length && stored[length] != end) {
			length++;
		}
		return new HeadedBytes(new String(stored, 0, length, StandardCharsets.UTF_8),
				Arrays.copyOfRange(stored, Math.min(length + 1, stored.length), stored.length));
	}

	/**
	 * Returns what is to be stored.
	 * @param head the head and what ends it
	 */
	static byte[] join(String head, byte[] rest) {
		byte[] text = head.getBytes(StandardCharsets.UTF_8);
		byte[] joined = Arrays.copyOf(text, text.length + rest.length);
		System.arraycopy(rest, 0, joined, text.length, rest.length);
		return joined;
	}

}
