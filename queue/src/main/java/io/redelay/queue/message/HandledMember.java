package io.redelay.queue.message;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/**
 * The result of the handler of a message of a bundle, which the bundle keeps. Must be the
 * first section of a completion.
 *
 * @param contentType its type, or {@link #LEFT_OUT}
 * @param value the value as bytes
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared or
											// changed
public record HandledMember(String contentType, byte[] value) implements CompletionSection {

	/**
	 * In place of a content type: there is a result, and it is not kept.
	 */
	public static final String LEFT_OUT = "!";

	/**
	 * How a message ended that was handled: the name of a count of
	 * {@link io.redelay.queue.bundle.BundleSummary}.
	 */
	public static final String WAY = "acknowledged";

	private static final char END_OF_TYPE = '\n';

	/**
	 * Creates the section of a result that is not kept.
	 * @return the section
	 */
	public static HandledMember leftOut() {
		return new HandledMember(LEFT_OUT, new byte[0]);
	}

	/**
	 * Reads the result in a note.
	 * @param noted the text of the note
	 * @return the result
	 */
	public static HandledMember read(byte[] noted) {
		int end = 0;
		while (end < noted.length && noted[end] != END_OF_TYPE) {
			end++;
		}
		int from = Math.min(end + 1, noted.length);
		byte[] value = new byte[noted.length - from];
		System.arraycopy(noted, from, value, 0, value.length);
		return new HandledMember(new String(noted, 0, end, StandardCharsets.UTF_8), value);
	}

	/**
	 * Returns whether there is a result that is not kept.
	 * @return whether it is left out
	 */
	public boolean isLeftOut() {
		return this.contentType.equals(LEFT_OUT);
	}

	@Override
	public char type() {
		return 'w';
	}

	@Override
	public byte[] text() {
		ByteArrayOutputStream text = new ByteArrayOutputStream(this.value.length + 64);
		text.writeBytes((WAY + '\0' + this.contentType + END_OF_TYPE).getBytes(StandardCharsets.UTF_8));
		text.writeBytes(this.value);
		return text.toByteArray();
	}

	@Override
	public long size() {
		return 100L + this.value.length;
	}

}
