package io.redelay.queue.admin;

import java.time.Instant;
import java.util.Map;

/**
 * Looks at all queues at once, for gauges and overviews. There is a bean of this type. A
 * look costs one script a partition of a queue, another one if messages wait there, and
 * some more for all queues together. What was seen is shared by all who ask, for five
 * seconds, or for ten milliseconds a queue if that is longer.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public interface QueueSnapshots {

	/**
	 * What was seen of all queues lately. Who asks first after the last look has grown
	 * old waits for Redis, and who asks meanwhile gets the last one.
	 * @return what was seen
	 * @throws QueueBackendException if nothing was ever seen and Redis gives no answer;
	 * later, what was seen before is given while there is none
	 */
	Look latest();

	/**
	 * What was seen of all queues.
	 *
	 * @param time when, by the clock of this JVM
	 * @param queues the queues by name, in alphabetical order
	 */
	record Look(Instant time, Map<String, QueueSnapshot> queues) {

	}

}
