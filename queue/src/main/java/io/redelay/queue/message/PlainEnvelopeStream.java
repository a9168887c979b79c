package io.redelay.queue.message;

import java.io.OutputStream;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * An envelope that has nothing but a JSON payload, which is written to it. Most payloads
 * are written at once, and are copied nowhere else.
 */
final class PlainEnvelopeStream extends OutputStream {

	private byte[] envelope = EnvelopeFormat.PLAIN;

	private int length = EnvelopeFormat.PLAIN.length;

	@Override
	public void write(int single) {
		write(new byte[] { (byte) single }, 0, 1);
	}

	@Override
	public void write(byte[] bytes, int offset, int count) {
		int needed = this.length + count + 1;
		if (needed > this.envelope.length) {
			boolean goesOn = this.length > EnvelopeFormat.PLAIN.length + count;
			this.envelope = Arrays.copyOf(this.envelope, goesOn ? 2 * needed : needed);
		}
		System.arraycopy(bytes, offset, this.envelope, this.length, count);
		this.length += count;
	}

	/**
	 * Returns the envelope, or {@code null} if it is not sure that its payload is JSON
	 * which each listener can read.
	 */
	byte @Nullable [] bytes() {
		if (!new JsonScan(this.envelope, EnvelopeFormat.PLAIN.length, this.length).isJson()) {
			return null;
		}
		byte[] bytes = (this.envelope.length == this.length + 1) ? this.envelope
				: Arrays.copyOf(this.envelope, this.length + 1);
		bytes[this.length] = '}';
		return bytes;
	}

}
