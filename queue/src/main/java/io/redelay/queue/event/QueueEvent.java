package io.redelay.queue.event;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * A queue as a whole has changed. Published as an event of the application, on a thread
 * of its own, if an {@code @EventListener} method takes it. It is published at once in
 * the instance that made the change, and in the others if that instance writes to the
 * feed of {@link QueueEvents}. Each subscriber gets a change once, or not at all.
 *
 * @param type what happened
 * @param queue the queue; for the group {@code billing} of the topic {@code orders} it is
 * {@code orders@billing}
 * @param time when it happened: by the clock of Redis, but for {@link Type#PURGED},
 * {@link Type#DELETED}, {@link Type#FORGOTTEN} and {@link Type#LIMITS_CHANGED} by that of
 * the instance
 * @param messages how many messages are gone with it, for {@link Type#PURGED}; otherwise
 * 0
 * @param detail what else there is to know: the state of the messages for
 * {@link Type#PURGED}, the limits for {@link Type#LIMITS_CHANGED}; {@code null} if there
 * is nothing
 * @param instance the instance that made the change: its host and process, or the value
 * of {@code redelay.queue.instance-name}
 * @since 0.1.0
 */
public record QueueEvent(Type type, String queue, Instant time, long messages, @Nullable String detail,
		String instance) {

	/**
	 * What happens to a queue.
	 */
	public enum Type {

		/**
		 * It was paused: no listener of any instance is given a message.
		 */
		PAUSED,

		/**
		 * It is not paused any more.
		 */
		RESUMED,

		/**
		 * It was closed for new messages.
		 */
		CLOSED,

		/**
		 * It is open for new messages again.
		 */
		REOPENED,

		/**
		 * Its last message that was scheduled, ready or in flight is gone: handled, dead,
		 * cancelled, expired or removed.
		 */
		DRAINED,

		/**
		 * Its messages in one state were removed.
		 */
		PURGED,

		/**
		 * It was deleted by {@code QueueAdmin}.
		 */
		DELETED,

		/**
		 * Its limits were changed for all instances.
		 */
		LIMITS_CHANGED,

		/**
		 * It had nothing for {@code redelay.queue.forget-after}, and its name was
		 * forgotten.
		 */
		FORGOTTEN

	}

}
