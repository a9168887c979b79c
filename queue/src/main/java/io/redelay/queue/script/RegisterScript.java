package io.redelay.queue.script;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Adds a queue to the list of queues; safe to repeat.
 *
 * @since 0.1.0
 */
public final class RegisterScript {

	private final ScriptRunner runner;

	RegisterScript(ScriptRunner runner) {
		this.runner = runner;
	}

	/**
	 * Runs the script.
	 * @param queue the queue
	 * @return a future that completes when it is known
	 */
	public CompletableFuture<Void> run(String queue) {
		return this.runner.run("Registering the queue '" + queue + "'", Script.REGISTER,
				List.of(this.runner.key("queues")), new Object[] { queue }, (reply) -> null);
	}

}
