package io.redelay.queue.store;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * What the handler of a kept message returned, or why that is not there.
 *
 * @param waiting the instance that waits for it, or {@code null}
 * @param contentType what it is; empty if the handler returned nothing
 * @param value the value as bytes; or why there is none, if the content type is
 * {@link #FAILED}; empty if it is {@link #CANCELLED}
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are handed on, never compared or
											// changed
public record KeptResult(@Nullable String waiting, String contentType, byte[] value) implements CompletionSection {

	/**
	 * In place of a content type: the value could not be kept.
	 */
	public static final String FAILED = "!";

	/**
	 * In place of a content type: the message was cancelled while it was in hand.
	 */
	public static final String CANCELLED = "-";

	/**
	 * How large a value may be.
	 */
	public static final int MAX_SIZE = 1024 * 1024;

	private static final String NOBODY = "-";

	/**
	 * Says that a value could not be kept.
	 * @param waiting the instance that waits for it, or {@code null}
	 * @param why why
	 * @return the result
	 */
	public static KeptResult failed(@Nullable String waiting, String why) {
		return new KeptResult(waiting, FAILED, why.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Says that a message was cancelled while it was in hand.
	 * @param waiting the instance that waits for its result, or {@code null}
	 * @return the result
	 */
	public static KeptResult cancelled(@Nullable String waiting) {
		return new KeptResult(waiting, CANCELLED, new byte[0]);
	}

	/**
	 * Reads what the store has of a result.
	 * @param stored what it has
	 * @return the result, for which nobody is known to wait
	 */
	public static KeptResult read(byte[] stored) {
		int end = 0;
		while (end < stored.length && stored[end] != '\n') {
			end++;
		}
		int from = Math.min(end + 1, stored.length);
		byte[] value = new byte[stored.length - from];
		System.arraycopy(stored, from, value, 0, value.length);
		return new KeptResult(null, new String(stored, 0, end, StandardCharsets.UTF_8), value);
	}

	@Override
	public char type() {
		return 'r';
	}

	@Override
	public byte[] text() {
		ByteArrayOutputStream text = new ByteArrayOutputStream(this.value.length + 64);
		text.writeBytes(((this.waiting != null) ? this.waiting : NOBODY).getBytes(StandardCharsets.UTF_8));
		text.write(' ');
		text.writeBytes(this.contentType.getBytes(StandardCharsets.UTF_8));
		text.write('\n');
		text.writeBytes(this.value);
		return text.toByteArray();
	}

	@Override
	public long size() {
		return 100L + this.value.length;
	}

}
