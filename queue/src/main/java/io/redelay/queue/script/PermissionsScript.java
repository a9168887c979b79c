package io.redelay.queue.script;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Finds out whether the user of the connection has the rights that the scripts need.
 *
 * @since 0.1.0
 */
public final class PermissionsScript {

	private final ScriptRunner runner;

	private final String wakePrefix;

	PermissionsScript(ScriptRunner runner, String wakePrefix) {
		this.runner = runner;
		this.wakePrefix = wakePrefix;
	}

	/**
	 * Runs the script.
	 * @return each command that the user may not use, or not on the keys and channels of
	 * queues, with the error of Redis
	 */
	public CompletableFuture<List<String>> run() {
		return this.runner.run("Finding out what the user may do", Script.PERMISSIONS,
				List.of(this.runner.key("permissions")), new Object[] { this.wakePrefix }, (reply) -> {
					List<String> refusals = new ArrayList<>();
					while (reply.hasNext()) {
						refusals.add(reply.text());
					}
					return refusals;
				});
	}

}
