package io.redelay.outbox;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Looks at the messages in the outbox, and acts on those that cannot be sent.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface OutboxAdmin {

	/**
	 * Counts the messages that are not sent yet.
	 * @return their number, including the ones that failed
	 */
	long count();

	/**
	 * Counts the messages whose last attempt failed.
	 * @return how many
	 */
	long countFailed();

	/**
	 * Returns how long the oldest message waits.
	 * @return since it was written, or {@code null} if there is none
	 */
	@Nullable Duration oldest();

	/**
	 * Lists messages that are not sent yet, the oldest first.
	 * @param after only messages with a larger number; 0 to begin
	 * @param limit how many at most, 1 to 1000
	 * @return the messages
	 */
	List<OutboxEntry> list(long after, int limit);

	/**
	 * Lists messages whose last attempt failed, the oldest first.
	 * @param after only messages with a larger number; 0 to begin
	 * @param limit how many at most, 1 to 1000
	 * @return the messages
	 */
	List<OutboxEntry> listFailed(long after, int limit);

	/**
	 * Has a message that failed sent again at once, and not when its time to wait has
	 * passed.
	 * @param number its number
	 * @return whether it is there
	 */
	boolean retry(long number);

	/**
	 * Deletes a message, so that it is not sent. One that a relay has in hand may be sent
	 * nevertheless.
	 * @param number its number
	 * @return whether it was there
	 */
	boolean delete(long number);

}
