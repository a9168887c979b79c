package io.redelay.queue.script;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.wire.Script;

/**
 * Opens and closes lanes to claim on.
 *
 * @param scripts the scripts of the client
 * @since 0.1.0
 */
public record LaneScript(QueueScripts scripts) {

	/**
	 * Opens a lane, which lives for its lease and is renewed by each claim.
	 * @param queue the queue
	 * @param lane a new lane
	 * @param lease how long it lives without being renewed
	 * @param before the number before its first request: the last one of the lane that it
	 * follows, or 0
	 * @return a future that completes when it is open
	 */
	public CompletableFuture<Void> open(String queue, String lane, Duration lease, long before) {
		this.scripts.listeners().maintenance().run();
		return this.scripts.runner()
			.run(Script.OPEN_LANE, queue, "Opening a lane of", (reply) -> null, lane, ScriptTime.millis(lease),
					this.scripts.wakeUps().prefix(), before);
	}

	/**
	 * Closes a lane that holds nothing.
	 * @param queue the queue
	 * @param lane the lane
	 * @return a future that completes when it is closed
	 */
	public CompletableFuture<Void> close(String queue, String lane) {
		return this.scripts.runner()
			.run(Script.CLOSE_LANE, queue, "Closing a lane of", (reply) -> null, lane, this.scripts.wakeUps().prefix());
	}

}
