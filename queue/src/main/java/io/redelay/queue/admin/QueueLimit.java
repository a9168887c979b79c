package io.redelay.queue.admin;

/**
 * A limit of a queue that can be set at run time for all instances: see
 * {@link QueueLimitAdmin#change}.
 *
 * @since 0.1.0
 */
public enum QueueLimit {

	/**
	 * How many messages of the queue all instances claim together in a window. A listener
	 * has it as {@code rateLimit}.
	 */
	RATE_LIMIT("rateLimit"),

	/**
	 * How many messages of the queue all instances have in hand together. A listener has
	 * it as {@code maxInFlight}.
	 */
	MAX_IN_FLIGHT("maxInFlight"),

	/**
	 * How many messages of one fairness key all instances claim together in a window. A
	 * listener has it as {@code keyRateLimit}.
	 */
	KEY_RATE_LIMIT("keyRateLimit"),

	/**
	 * How many messages of one fairness key all instances have in hand together. A
	 * listener has it as {@code keyMaxInFlight}.
	 */
	KEY_MAX_IN_FLIGHT("keyMaxInFlight"),

	/**
	 * How many messages the line of one ordering key has: the one whose turn it is and
	 * those that wait behind it. A sender has it as
	 * {@code redelay.queue.queues.<name>.ordering-key-max-length}.
	 */
	ORDERING_KEY_MAX_LENGTH("orderingKeyMaxLength");

	private final String attribute;

	QueueLimit(String attribute) {
		this.attribute = attribute;
	}

	/**
	 * Returns the name of the limit in declarations and in the endpoint.
	 * @return the name, like {@code rateLimit}
	 */
	public String attribute() {
		return this.attribute;
	}

}
