package io.redelay.queue.store;

/**
 * What one lane found and did when Redis went back in time.
 *
 * @param queue the queue
 * @param lane what the lane is for
 * @param forgotten how many requests that were answered Redis does not remember
 * @param repeated how many messages were sent again, settlements made again or commands
 * given again
 * @param givenBack how many messages are delivered again: Redis believed them to be held
 * and their settlement was not remembered, or another lane had them before this one could
 * say that they are in hand or settled
 * @param missing how many of the forgotten requests were not remembered here either, or
 * not taken by Redis again, so that what they sent or commanded is missing
 * @since 0.1.0
 */
public record Rollback(String queue, Lane lane, long forgotten, long repeated, long givenBack, long missing) {

	/**
	 * What a lane is for.
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

}
