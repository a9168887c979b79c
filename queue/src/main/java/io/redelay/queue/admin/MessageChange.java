package io.redelay.queue.admin;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * A change of a message that waits, built up like
 * {@code MessageChange.none().payload("{\"order\":7}").attempts(3)}. Each method gives a
 * new change and leaves this one as it is.
 *
 * @param payload the new payload as text, or {@code null} to leave it: JSON for a message
 * whose payload is JSON, the text itself for one of text, and base64 for any other
 * @param attempts how often the message is delivered at most from now on, or {@code null}
 * to leave that
 * @param failures how many failed attempts count from now on, for the backoff and for the
 * limit, or {@code null} to leave that
 * @param priority the new priority, 0 to 9, or {@code null} to leave it
 * @since 0.1.0
 */
public record MessageChange(@Nullable String payload, @Nullable Integer attempts, @Nullable Integer failures,
		@Nullable Integer priority) {

	private static final int MOST = 1_000_000;

	private static final MessageChange NONE = new MessageChange(null, null, null, null);

	/**
	 * Checks the numbers.
	 */
	public MessageChange {
		Assert.isTrue(attempts == null || (attempts >= 1 && attempts <= MOST),
				() -> "'attempts' must be 1 to 1,000,000: " + attempts);
		Assert.isTrue(failures == null || (failures >= 0 && failures <= MOST),
				() -> "'failures' must be 0 to 1,000,000: " + failures);
		Assert.isTrue(priority == null || (priority >= 0 && priority <= 9),
				() -> "'priority' must be 0 to 9: " + priority);
	}

	/**
	 * Changes nothing.
	 * @return the change
	 */
	public static MessageChange none() {
		return NONE;
	}

	/**
	 * Gives the message another payload of the same content type.
	 * @param payload JSON, text or base64, as the message has it
	 * @return the change
	 */
	public MessageChange payload(String payload) {
		return new MessageChange(payload, this.attempts, this.failures, this.priority);
	}

	/**
	 * Sets how often the message is delivered at most from now on, in place of the
	 * setting of its listener. Failures counted so far stay, unless {@link #failures}
	 * changes them.
	 * @param attempts at least 1
	 * @return the change
	 */
	public MessageChange attempts(int attempts) {
		return new MessageChange(this.payload, attempts, this.failures, this.priority);
	}

	/**
	 * Sets how many failed attempts count. The history of the attempts stays.
	 * @param failures at least 0, to begin anew
	 * @return the change
	 */
	public MessageChange failures(int failures) {
		return new MessageChange(this.payload, this.attempts, failures, this.priority);
	}

	/**
	 * Gives the message another priority. A ready message is queued after all others of
	 * that priority; one that waits for its ordering key keeps its place there.
	 * @param priority 0 to 9, of which 9 goes first
	 * @return the change
	 */
	public MessageChange priority(int priority) {
		return new MessageChange(this.payload, this.attempts, this.failures, priority);
	}

	/**
	 * Returns whether nothing is changed.
	 * @return {@code true} if so
	 */
	public boolean isEmpty() {
		return equals(NONE);
	}

}
