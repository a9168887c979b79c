package io.redelay.queue.message;

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
		HeadedBytes read = HeadedBytes.read(noted, END_OF_TYPE);
		return new HandledMember(read.head(), read.rest());
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
		return HeadedBytes.join(WAY + '\0' + this.contentType + END_OF_TYPE, this.value);
	}

	@Override
	public long size() {
		return 100L + this.value.length;
	}

}
