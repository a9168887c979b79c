package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;

import io.redelay.queue.GroupFilter;

/**
 * A group of a topic.
 *
 * @param name the group; the name of one that belongs to an instance begins with
 * {@code _}
 * @param queue the queue of its messages, such as {@code orders@billing}, the name by
 * which the other methods of {@link QueueAdmin} act on it
 * @param state whether an instance consumes from it
 * @param since when it was registered
 * @param expiry how long it lives without a consumer; zero for no limit
 * @param consumers how many instances consume from it
 * @param filter which messages it gets copies of; empty if it gets each
 * @param info the numbers and state of its queue
 * @since 0.1.0
 */
public record TopicGroupInfo(String name, String queue, State state, Instant since, Duration expiry, int consumers,
		GroupFilter filter, QueueInfo info) {

	/**
	 * Whether an instance consumes from a group.
	 */
	public enum State {

		/**
		 * At least one listener claims from it.
		 */
		ACTIVE,

		/**
		 * It collects messages, and no listener claims from it.
		 */
		WAITING

	}

}
