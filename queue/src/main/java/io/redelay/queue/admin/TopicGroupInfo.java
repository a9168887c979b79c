package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;

import io.redelay.queue.GroupFilter;

/**
 * What is known of a group of a topic.
 *
 * @param name the group; the name of one that belongs to an instance begins with
 * {@code _}
 * @param queue the queue in which it collects, such as {@code orders@billing}, by whose
 * name the other methods of {@link QueueAdmin} act on it
 * @param state whether somebody consumes from it
 * @param since when it was registered
 * @param expiry how long it lives without a consumer; zero for ever
 * @param consumers how many instances consume from it
 * @param filter which messages it gets copies of; empty if it gets each
 * @param info how many messages it has, and what else is known of its queue
 * @since 0.1.0
 */
public record TopicGroupInfo(String name, String queue, State state, Instant since, Duration expiry, int consumers,
		GroupFilter filter, QueueInfo info) {

	/**
	 * Whether somebody consumes from a group.
	 */
	public enum State {

		/**
		 * At least one listener claims from it.
		 */
		ACTIVE,

		/**
		 * It collects, and nobody claims from it.
		 */
		WAITING

	}

}
