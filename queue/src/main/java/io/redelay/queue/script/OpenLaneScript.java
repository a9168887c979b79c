package io.redelay.queue.script;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Opens a lane to claim on, which lives for its lease and is renewed by each claim.
 *
 * @since 0.1.0
 */
public final class OpenLaneScript {

	private final ScriptRunner runner;

	private final String wakePrefix;

	private final Runnable maintenance;

	/**
	 * Creates the script.
	 * @param maintenance starts the background maintenance: this instance begins to claim
	 */
	OpenLaneScript(ScriptRunner runner, String wakePrefix, Runnable maintenance) {
		this.runner = runner;
		this.wakePrefix = wakePrefix;
		this.maintenance = maintenance;
	}

	/**
	 * Runs the script.
	 * @param queue the queue
	 * @param lane a new lane
	 * @param lease how long it lives without being renewed
	 * @param before the number before its first request: the last one of the lane that it
	 * follows, or 0
	 * @return a future that completes when it is open
	 */
	public CompletableFuture<Void> run(String queue, String lane, Duration lease, long before) {
		this.maintenance.run();
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Opening a lane of the queue '" + queue + "'", Script.OPEN_LANE,
				keys.of(Script.OPEN_LANE),
				new Object[] { lane, ScriptTime.millis(lease), this.wakePrefix, Long.toString(before) },
				(reply) -> null);
	}

}
