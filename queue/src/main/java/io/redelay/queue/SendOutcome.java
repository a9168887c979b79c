package io.redelay.queue;

/**
 * What became of a message that was sent.
 *
 * @since 0.1.0
 */
public enum SendOutcome {

	/**
	 * It was added to the queue.
	 */
	ADDED,

	/**
	 * Nothing was added: another message has its id, or came first with its key.
	 */
	DUPLICATE,

	/**
	 * It was added in place of an earlier one with its key, which is gone.
	 */
	REPLACED,

	/**
	 * Its payload was added to a message in which those of its key gather.
	 */
	GATHERED,

	/**
	 * It is sent when the message that is being handled is acknowledged, and not at all
	 * if it is not; see {@link OutboundMessage#inDelivery()}.
	 */
	PENDING

}
