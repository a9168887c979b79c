package io.redelay.queue.message;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * The result of the handler of a kept message, or why there is none.
 * <p>
 * A mark in place of a content type does not begin with a letter.
 *
 * @param waiting the instance that waits for it, or {@code null}
 * @param contentType its type; empty if the handler returned nothing
 * @param value the value as bytes. For {@link #FAILED} why there is none; for
 * {@link #DEAD} the cause of death as JSON; empty for {@link #CANCELLED} and
 * {@link #EXPIRED}
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared or
											// changed
public record KeptResult(@Nullable String waiting, String contentType, byte[] value) implements CompletionSection {

	/**
	 * In place of a content type: the value could not be kept.
	 */
	public static final String FAILED = "!";

	/**
	 * In place of a content type: the message was cancelled while it was handled.
	 */
	public static final String CANCELLED = "-";

	/**
	 * In place of a content type: the message died, and was forwarded to the dead-letter
	 * queue that its sender named.
	 */
	public static final String DEAD = "+";

	/**
	 * In place of a content type: the time to live of the message or its deadline was
	 * over, and its sender wanted it to be dropped then.
	 */
	public static final String EXPIRED = "~";

	/**
	 * How large a value may be.
	 */
	public static final int MAX_SIZE = 1024 * 1024;

	private static final String NO_CALLER = "-";

	/**
	 * Creates the result of a value that could not be kept.
	 * @param waiting the instance that waits for it, or {@code null}
	 * @param why the reason
	 * @return the result
	 */
	public static KeptResult failed(@Nullable String waiting, String why) {
		return new KeptResult(waiting, FAILED, why.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Creates the result of a message that was cancelled while it was handled.
	 * @param waiting the instance that waits for its result, or {@code null}
	 * @return the result
	 */
	public static KeptResult cancelled(@Nullable String waiting) {
		return new KeptResult(waiting, CANCELLED, new byte[0]);
	}

	/**
	 * Creates the result of a message that died and was forwarded to a dead-letter queue
	 * of its own.
	 * @param waiting the instance that waits for its result, or {@code null}
	 * @param cause its cause of death, as JSON
	 * @return the result
	 */
	public static KeptResult dead(@Nullable String waiting, String cause) {
		return new KeptResult(waiting, DEAD, cause.getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Creates the result of a message that was dropped because it expired.
	 * @param waiting the instance that waits for its result, or {@code null}
	 * @return the result
	 */
	public static KeptResult expired(@Nullable String waiting) {
		return new KeptResult(waiting, EXPIRED, new byte[0]);
	}

	/**
	 * Returns whether the message was handled, so that this is the result of its handler,
	 * or why there is none.
	 * @return whether it was
	 */
	public boolean isHandled() {
		return !this.contentType.equals(CANCELLED) && !this.contentType.equals(DEAD)
				&& !this.contentType.equals(EXPIRED);
	}

	/**
	 * Reads a result from the store.
	 * @param stored the stored bytes
	 * @return the result, without a waiting instance
	 */
	public static KeptResult read(byte[] stored) {
		HeadedBytes read = HeadedBytes.read(stored, '\n');
		return new KeptResult(null, read.head(), read.rest());
	}

	@Override
	public char type() {
		return 'r';
	}

	@Override
	public byte[] text() {
		return HeadedBytes.join(((this.waiting != null) ? this.waiting : NO_CALLER) + ' ' + this.contentType + '\n',
				this.value);
	}

	@Override
	public long size() {
		return 100L + this.value.length;
	}

}
