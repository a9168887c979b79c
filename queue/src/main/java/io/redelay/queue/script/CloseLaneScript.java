package io.redelay.queue.script;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Closes a lane that holds nothing.
 *
 * @since 0.1.0
 */
public final class CloseLaneScript {

	private final ScriptRunner runner;

	private final String wakePrefix;

	CloseLaneScript(ScriptRunner runner, String wakePrefix) {
		this.runner = runner;
		this.wakePrefix = wakePrefix;
	}

	/**
	 * Runs the script.
	 * @param queue the queue
	 * @param lane the lane
	 * @return a future that completes when it is closed
	 */
	public CompletableFuture<Void> run(String queue, String lane) {
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Closing a lane of the queue '" + queue + "'", Script.CLOSE_LANE,
				keys.of(Script.CLOSE_LANE), new Object[] { lane, this.wakePrefix }, (reply) -> null);
	}

}
