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
	Subscription subscribe(Listener listener);

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

	/**
	 * Asks another instance, or this one. The answer comes to the listeners of this
	 * instance, if there is one: an instance that has ended, or knows no questions, gives
	 * none.
	 * @param other the instance
	 * @param number the number of the question, which its answer repeats
	 * @param question the question
	 */
	default void ask(String other, String number, String question) {
	}

	/**
	 * Answers a question.
	 * @param asker the instance that asked
	 * @param number the number of the question
	 * @param answer the answer
	 */
	default void answer(String asker, String number, String answer) {
	}

	/**
	 * Notified of sleeping lanes that have something to do.
	 */
	public interface Listener {

		/**
		 * Called when there may be something to claim for a sleeping lane.
		 * @param lane the lane
		 */
		void wakeUp(String lane);

		/**
		 * Called when wake-ups may have been missed, so every sleeping lane should claim.
		 */
		void wakeUpAll();

		/**
		 * Called when a message that a lane holds was cancelled.
		 * @param lane the lane
		 * @param uid the message
		 */
		default void cancelled(String lane, String uid) {
		}

		/**
		 * Called when a message is done for whose result this instance waits.
		 * @param id its id, or its uid if it has none
		 */
		default void completed(String id) {
		}

		/**
		 * Called when an instance asks this one.
		 * @param asker the instance
		 * @param number the number of its question
		 * @param question the question
		 */
		default void asked(String asker, String number, String question) {
		}

		/**
		 * Called when an instance answers a question of this one.
		 * @param number the number of the question
		 * @param instance the instance
		 * @param answer its answer
		 */
		default void answered(String number, String instance, String answer) {
		}

	}

	/**
	 * A subscription to wake-ups, which lasts until it is closed.
	 */
	@FunctionalInterface
	public interface Subscription extends AutoCloseable {

		@Override
		void close();

		/**
		 * Returns whether wake-ups arrive.
		 * @return whether the server has confirmed the subscription
		 */
		default boolean isActive() {
			return true;
		}

	}

}
