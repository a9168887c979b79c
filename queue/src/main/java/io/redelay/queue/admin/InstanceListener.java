package io.redelay.queue.admin;

import java.util.List;

/**
 * A listener of an instance.
 *
 * @param id its id
 * @param state what it does
 * @param concurrency how many handlers may run
 * @param busy how many run
 * @param prefetched how many messages wait in the instance for a handler
 * @param queues what holds for each queue that it listens to
 * @since 0.1.0
 */
public record InstanceListener(String id, State state, int concurrency, int busy, int prefetched,
		List<ListenedQueue> queues) {

	/**
	 * Copies the queues.
	 */
	public InstanceListener {
		queues = List.copyOf(queues);
	}

	/**
	 * What a listener does.
	 */
	public enum State {

		/**
		 * It claims messages.
		 */
		RUNNING,

		/**
		 * It is paused in this instance.
		 */
		PAUSED,

		/**
		 * It is stopped, or was never started.
		 */
		STOPPED

	}

}
