package io.redelay.queue.bundle;

import java.nio.charset.StandardCharsets;

import io.redelay.queue.store.BundleMembership;

/**
 * What the outbox of a queue has of a message of a bundle that ended there.
 *
 * @param way how it ended
 * @param bundle the bundle
 * @param member the uid and the id of the message
 * @param cause of what it died, as JSON, or nothing if it is not dead
 */
record EndNote(String way, BundleMembership bundle, String member, String cause) {

	private static final char FIELD = '\0';

	/**
	 * Reads a note.
	 * @param text as the scripts wrote it
	 * @return the note
	 * @throws IllegalArgumentException if it is none
	 */
	static EndNote read(byte[] text) {
		String[] fields = new String(text, StandardCharsets.UTF_8).split(Character.toString(FIELD), 3);
		String[] names = (fields.length == 3) ? fields[1].split(Character.toString(BundleMembership.SEPARATOR), 3)
				: new String[0];
		if (names.length != 3) {
			throw new IllegalArgumentException("A note on the end of a message of a bundle cannot be read: '"
					+ new String(text, StandardCharsets.UTF_8) + "'");
		}
		return new EndNote(fields[0], new BundleMembership(names[0], names[1]), names[2], fields[2]);
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
