package io.redelay.queue.script;

/**
 * An entry of an inlet, as it was read.
 *
 * @param text its bytes, as far as they were asked for
 * @param length how many bytes it has
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared or
											// changed
public record InletEntry(byte[] text, long length) {

	/**
	 * Returns whether it has more bytes than were read.
	 * @return whether it is longer
	 */
	public boolean isCut() {
		return this.length > this.text.length;
	}

}
