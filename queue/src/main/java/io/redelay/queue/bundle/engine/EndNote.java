package io.redelay.queue.bundle.engine;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.redelay.queue.message.BundleMembership;
import io.redelay.queue.message.HandledMember;

/**
 * The note in the outbox of a queue about a message of a bundle that ended there.
 *
 * @param way how it ended
 * @param bundle the bundle
 * @param member the uid and the id of the message
 * @param detail why it died, as JSON; what its handler returned, see
 * {@link HandledMember}; or nothing
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared
record EndNote(String way, BundleMembership bundle, String member, byte[] detail) {

	private static final byte FIELD = 0;

	/**
	 * Reads a note, which may be about several messages: if nothing else is known of
	 * their ends, they follow the first one, each behind a zero byte, and all of them
	 * behind another one.
	 * @param text as the scripts wrote it
	 * @return what it says of each message
	 * @throws IllegalArgumentException if it is none
	 */
	static List<EndNote> readAll(byte[] text) {
		EndNote first = read(text);
		if (first.detail.length < 2 || first.detail[0] != FIELD) {
			return List.of(first);
		}
		List<EndNote> all = new ArrayList<>();
		all.add(new EndNote(first.way, first.bundle, first.member, new byte[0]));
		int end;
		for (int from = 1; from <= first.detail.length; from = end + 1) {
			end = fieldEnd(first.detail, from);
			all.add(new EndNote(first.way, first.bundle, string(first.detail, from, end), new byte[0]));
		}
		return all;
	}

	/**
	 * Reads the first part of a note.
	 * @param text as the scripts wrote it
	 * @return the note
	 * @throws IllegalArgumentException if it is none
	 */
	static EndNote read(byte[] text) {
		int first = fieldEnd(text, 0);
		int second = fieldEnd(text, first + 1);
		String[] names = (second < text.length)
				? string(text, first + 1, second).split(Character.toString(BundleMembership.SEPARATOR), 3)
				: new String[0];
		if (names.length != 3) {
			throw new IllegalArgumentException("A note on the end of a message of a bundle cannot be read: '"
					+ new String(text, StandardCharsets.UTF_8) + "'");
		}
		return new EndNote(string(text, 0, first), new BundleMembership(names[0], names[1]), names[2],
				Arrays.copyOfRange(text, second + 1, text.length));
	}

	/**
	 * Where a field ends: behind the last byte of the text if there is none.
	 */
	private static int fieldEnd(byte[] text, int from) {
		int end = Math.min(from, text.length);
		while (end < text.length && text[end] != FIELD) {
			end++;
		}
		return end;
	}

	private static String string(byte[] text, int from, int to) {
		return new String(text, from, to - from, StandardCharsets.UTF_8);
	}

	/**
	 * The id of the message, or its uid if it has none.
	 */
	String id() {
		int separator = this.member.indexOf(BundleMembership.SEPARATOR);
		String id = this.member.substring(separator + 1);
		return id.isEmpty() ? this.member.substring(0, separator) : id;
	}

}
