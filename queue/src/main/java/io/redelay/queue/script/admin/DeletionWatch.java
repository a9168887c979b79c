package io.redelay.queue.script.admin;

import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Called before and after the deletion of a queue, which removes its recurring messages
 * too.
 * <p>
 * Safe for use by many threads. No method blocks.
 *
 * @since 0.1.0
 */
public interface DeletionWatch {

	/**
	 * Knows of no recurring messages.
	 */
	DeletionWatch NONE = new DeletionWatch() {

		@Override
		public CompletableFuture<Map<String, Long>> recurring(String queue) {
			return CompletableFuture.completedFuture(Map.of());
		}

		@Override
		public void deleted(String queue, Map<String, Long> recurring) {
		}

	};

	/**
	 * Looks which recurring messages of a queue have not ended, paused ones included.
	 * @param queue the queue
	 * @return their next ticks by their names, 0 if there is none
	 */
	CompletableFuture<Map<String, Long>> recurring(String queue);

	/**
	 * Called when a queue was deleted, and its recurring messages with it.
	 * @param queue the queue
	 * @param recurring the result of {@link #recurring} before the deletion
	 */
	void deleted(String queue, Map<String, Long> recurring);

}
