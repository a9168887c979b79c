package io.redelay.queue.admin;

/**
 * How a queue does, in one word.
 *
 * @since 0.1.0
 */
public enum QueueStatus {

	/**
	 * What is due is handled at once.
	 */
	OK,

	/**
	 * All handlers are at work, and messages wait for less than five seconds.
	 */
	BUSY,

	/**
	 * Messages wait for longer than they should.
	 */
	BEHIND,

	/**
	 * Nothing is delivered.
	 */
	STOPPED

}
