package io.redelay.queue.admin;

import java.time.Instant;
import java.util.Map;
import java.util.Set;

/**
 * Looks at all queues at once, for gauges and overviews. There is a bean of this type. A
 * look costs one script a partition of a queue, another one if messages wait there, and
 * some more for all queues together. All callers share a look for five seconds, or for
 * ten milliseconds a queue if that is longer.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface QueueSnapshots {

	/**
	 * Returns the last look at all queues. When it has grown old, the first caller waits
	 * for Redis, and callers meanwhile get the old one. A queue that could not be looked
	 * at, which is logged, has its last snapshot, or none if it never could.
	 * @return the look
	 * @throws QueueBackendException if there was no look yet and Redis gives no answer;
	 * later, the last look is given while Redis gives none
	 */
	Look latest();

	/**
	 * A look at all queues.
	 *
	 * @param time when it was taken, by the clock of this JVM
	 * @param queues the queues by name, in alphabetical order
	 * @param failed those that exist and could not be looked at
	 */
	record Look(Instant time, Map<String, QueueSnapshot> queues, Set<String> failed) {

		/**
		 * Creates a look at which no queue failed.
		 * @param time when it was taken
		 * @param queues the queues by name
		 */
		public Look(Instant time, Map<String, QueueSnapshot> queues) {
			this(time, queues, Set.of());
		}

	}

}
