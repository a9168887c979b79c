package io.redelay.queue;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What became of a message that was published to a topic. For a message that waits for
 * the commit of a transaction it is an estimate: the id, the time by the clock of this
 * instance, and no groups, since those are known only then.
 *
 * @param topic the topic
 * @param id the id of the message, the same in each group: the one that its sender gave
 * it, or else a generated one
 * @param due when the copies are due that were added, by the clock of Redis
 * @param groups what became of the copy of each group, by the group's name; the queue of
 * a result is that of the group, such as {@code orders@billing}. Empty if the topic has
 * no group that gets the message
 * @param leftOut the groups that got no copy, because their filters leave the message
 * out; see {@link QueueListener#groupFilter()}
 * @since 0.1.0
 */
public record PublishResult(String topic, String id, Instant due, Map<String, SendResult> groups, Set<String> leftOut) {

	/**
	 * Copies the collections.
	 */
	public PublishResult {
		leftOut = Collections.unmodifiableSet(new TreeSet<>(leftOut));
		groups = Collections.unmodifiableMap(new LinkedHashMap<>(groups));
	}

}
