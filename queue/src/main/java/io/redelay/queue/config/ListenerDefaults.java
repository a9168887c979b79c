package io.redelay.queue.config;

import java.time.Duration;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.GroupFilter;
import io.redelay.queue.handle.RetentionSettings;
import io.redelay.queue.message.ClaimLimits;

/**
 * The configured settings of listeners: those of all listeners, which an annotation
 * overrides, and those of single queues, which override the annotation.
 *
 * @param listener for all listeners
 * @param queues for single queues, by name
 * @param deadLetters for dead messages
 * @param sharedLimits the limits that queues can share, by name
 * @param aggregating the queues of which payloads gather, so that a message may have
 * several
 * @param retentions what is kept of messages that are done, by queue
 * @param groupFilters which messages groups of topics get copies of, by the queue of the
 * group
 * @param weights how many messages of a queue are handled in its turn, by queue
 * @since 0.1.0
 */
public record ListenerDefaults(ListenerValues listener, Map<String, ListenerValues> queues,
		DeadLetterDefaults deadLetters, Map<String, ClaimLimits.Shared> sharedLimits, Set<String> aggregating,
		Map<String, RetentionSettings> retentions, Map<String, GroupFilter> groupFilters,
		Map<String, Integer> weights) {

	/**
	 * For how long the messages that an instance holds stay reserved after a crash, by
	 * default.
	 */
	public static final Duration LEASE_TIME = Duration.ofSeconds(30);

	ListenerValues queue(String name) {
		return this.queues.getOrDefault(name, ListenerValues.NONE);
	}

}
