package io.redelay.queue.admin;

/**
 * The status of a queue, in one word.
 *
 * @since 0.1.0
 */
public enum QueueStatus {

	/**
	 * Due messages are handled at once.
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
