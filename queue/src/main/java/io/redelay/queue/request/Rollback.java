package io.redelay.queue.request;

/**
 * The findings and actions of one lane after Redis went back in time.
 *
 * @param queue the queue
 * @param lane the use of the lane
 * @param forgotten how many requests that were answered Redis does not remember
 * @param repeated how many messages were sent again, settlements made again or commands
 * given again
 * @param givenBack how many messages are delivered again. Redis had them as held and
 * their settlement was not remembered, or another lane claimed them before this one could
 * report them as held or settled
 * @param missing how many forgotten requests were not remembered here either, or not
 * repeated as a whole, so that messages or commands are missing
 * @since 0.1.0
 */
public record Rollback(String queue, Lane lane, long forgotten, long repeated, long givenBack, long missing) {

	/**
	 * The use of a lane.
	 */
	public enum Lane {

		/**
		 * For sending messages.
		 */
		SENDER,

		/**
		 * For claiming and settling messages.
		 */
		CONSUMER,

		/**
		 * For commands on messages and queues.
		 */
		COMMANDS,

		/**
		 * For keeping bundles of messages.
		 */
		BUNDLES

	}

	/**
	 * Called when Redis went back in time.
	 */
	@FunctionalInterface
	public interface Listener {

		/**
		 * Called when a lane found that Redis went back in time, and repaired that as far
		 * as it could. Called on threads that must not be blocked.
		 * @param rollback the findings and actions
		 */
		void rolledBack(Rollback rollback);

	}

}
