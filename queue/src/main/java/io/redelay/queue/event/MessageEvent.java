package io.redelay.queue.event;

import java.time.Instant;
import java.util.List;

import io.redelay.queue.DeathReason;
import io.redelay.queue.work.LogLine;
import io.redelay.queue.work.MessageProgress;
import org.jspecify.annotations.Nullable;

/**
 * A move of a message, as seen by the instance that had Redis make the move. Published as
 * an event of the application, on a thread of its own, if an {@code @EventListener}
 * method takes it; see {@link QueueEvents} for the events of all instances.
 *
 * @param type what happened
 * @param queue the queue; for the group {@code billing} of the topic {@code orders} it is
 * {@code orders@billing}
 * @param id the id of the message, or its uid if it has none or if the id is not known
 * @param uid the uid of the message, which is a new one when it is redriven or
 * rescheduled; {@code null} if only the id is known
 * @param time when it happened, by the clock of Redis
 * @param attempt the number of the delivery, from 1; 0 if it is not known
 * @param due when the message can be delivered, if it waits for that
 * @param reason why the message died, for {@link Type#DEAD}
 * @param cause the failure, or what else led to the move; {@code null} if there is none
 * @param instance the instance that had the move made: its host and process, or the value
 * of {@code redelay.queue.instance-name}
 * @param progress how far the handling has come, for {@link Type#PROGRESS}; {@code null}
 * if the handler only wrote lines
 * @param log the last of the lines that the handler wrote since the event before, the
 * oldest one first, for {@link Type#PROGRESS}: at most {@value #MAX_LINES} and
 * {@value #MAX_CHARACTERS} characters
 * @since 0.1.0
 */
public record MessageEvent(Type type, String queue, String id, @Nullable String uid, Instant time, int attempt,
		@Nullable Instant due, @Nullable DeathReason reason, @Nullable String cause, String instance,
		@Nullable MessageProgress progress, List<LogLine> log) {

	/**
	 * How many lines of a log an event has at most.
	 */
	public static final int MAX_LINES = 10;

	/**
	 * How many characters the lines of an event have together at most, except for the
	 * last one.
	 */
	public static final int MAX_CHARACTERS = 2000;

	/**
	 * Keeps the last lines, within the bounds.
	 */
	@SuppressWarnings("NullAway") // the feed of an earlier version has none
	public MessageEvent {
		log = (log != null) ? last(log) : List.of();
	}

	private static List<LogLine> last(List<LogLine> lines) {
		int from = lines.size();
		int characters = 0;
		while (from > 0 && lines.size() - from < MAX_LINES) {
			characters += lines.get(from - 1).text().length();
			if (characters > MAX_CHARACTERS && from < lines.size()) {
				break;
			}
			from--;
		}
		return List.copyOf(lines.subList(from, lines.size()));
	}

	/**
	 * What happened to a message.
	 */
	public enum Type {

		/**
		 * It was added to the queue. Without a delay it can be delivered at once.
		 */
		SENT,

		/**
		 * Its delay is over, of a send or of a retry, and it can be delivered.
		 */
		READY,

		/**
		 * A listener claimed it.
		 */
		DELIVERED,

		/**
		 * Its handler reported progress, or wrote lines, and that was stored with the
		 * message: at most once a second, no matter how much happened in that time.
		 */
		PROGRESS,

		/**
		 * It was acknowledged, and is gone.
		 */
		ACKNOWLEDGED,

		/**
		 * Its handler did not acknowledge it, without an exception, and it is delivered
		 * again.
		 */
		NACKED,

		/**
		 * Its handling failed, and it is delivered again.
		 */
		RETRIED,

		/**
		 * A listener gave it back unhandled, or died, and it is delivered again with no
		 * failure counted.
		 */
		RELEASED,

		/**
		 * It went to the dead messages.
		 */
		DEAD,

		/**
		 * It was cancelled, and is gone. If a handler is running for it, the event
		 * follows when the handler has ended, unless the handler succeeded all the same.
		 */
		CANCELLED,

		/**
		 * It was given another time.
		 */
		RESCHEDULED,

		/**
		 * It waits, and was given another payload, number of attempts or priority.
		 */
		CHANGED,

		/**
		 * It was dead, and lives again.
		 */
		REDRIVEN,

		/**
		 * It was dead, and was forwarded: it was sent to another queue.
		 */
		FORWARDED,

		/**
		 * Its time to live was over, and it is gone.
		 */
		EXPIRED,

		/**
		 * It is gone for another cause: it was deleted, purged, trimmed, dropped to make
		 * room, or replaced.
		 */
		REMOVED

	}

}
