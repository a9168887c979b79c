package io.redelay.queue.inlet;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.deadletter.DeadLetterSettings;
import io.redelay.queue.message.LengthLimit;

/**
 * Which queues have an inlet, and how it is taken over.
 *
 * @param queues the bounds of the dead messages of each queue that has one, by its name
 * @param limits how many messages single queues may have, by name
 * @param maxEntrySize how many bytes an entry has at most
 * @param pollInterval how long an empty inlet is not looked at
 * @since 0.1.0
 */
public record InletSettings(Map<String, DeadLetterSettings> queues, Map<String, LengthLimit> limits, long maxEntrySize,
		Duration pollInterval) {

	/**
	 * Returns the queues that have an inlet.
	 * @return their names
	 */
	public Set<String> names() {
		return this.queues.keySet();
	}

}
