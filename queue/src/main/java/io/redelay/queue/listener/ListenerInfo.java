package io.redelay.queue.listener;

import java.util.List;

/**
 * A listener of this application, as {@link QueueListeners} reports it.
 *
 * @param id its id
 * @param queues the queues it listens to
 * @param state what it is doing
 * @param minConcurrency how many handlers run at the same time at least, if there is work
 * @param maxConcurrency how many handlers run at the same time at most
 * @param held how many messages it holds now, those that are handled included
 * @since 0.1.0
 */
public record ListenerInfo(String id, List<String> queues, State state, int minConcurrency, int maxConcurrency,
		int held) {

	/**
	 * What a listener is doing.
	 */
	public enum State {

		/**
		 * It claims messages.
		 */
		RUNNING,

		/**
		 * It is started and claims nothing until it is resumed.
		 */
		PAUSED,

		/**
		 * It is not started, or was stopped.
		 */
		STOPPED

	}

}
