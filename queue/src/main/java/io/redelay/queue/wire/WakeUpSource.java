package io.redelay.queue.wire;

/**
 * Where notices about the lanes of an instance come from: a channel of Redis, or in tests
 * a simulation.
 *
 * @since 0.1.0
 */
public interface WakeUpSource {

	/**
	 * Returns the name of the instance, with which the names of its lanes begin.
	 * @return the name
	 */
	String instance();

	/**
	 * Notifies a listener of which sleeping lanes of the instance have something to do.
	 * @param listener called on threads that must not be blocked
	 * @return the subscription, which ends when it is closed
	 */
	WakeUpSubscription subscribe(WakeUpListener listener);

	/**
	 * Repeats at once the steps that failed while Redis was away, and would be repeated
	 * later.
	 */
	void redisIsBack();

	/**
	 * Returns the prefix of the channels of all instances, as Redis knows them.
	 * @return the prefix, which the scripts put before the name of an instance
	 */
	String prefix();

}
