package io.redelay.queue.script;

import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.Script;

/**
 * Closes a lane that holds nothing.
 *
 * @param scripts the scripts of the client
 * @since 0.1.0
 */
public record CloseLaneScript(QueueScripts scripts) {

	/**
	 * Runs the script.
	 * @param queue the queue
	 * @param lane the lane
	 * @return a future that completes when it is closed
	 */
	public CompletableFuture<Void> run(String queue, String lane) {
		return this.scripts.runner()
			.run(Script.CLOSE_LANE, queue, "Closing a lane of", (reply) -> null, lane, this.scripts.wakeUps().prefix());
	}

}
