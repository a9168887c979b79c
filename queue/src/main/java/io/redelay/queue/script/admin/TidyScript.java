package io.redelay.queue.script.admin;

import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Removes entries of former messages from the lists of ready messages.
 *
 * @param runner runs the script
 */
public record TidyScript(ScriptRunner runner) {

	/**
	 * @param from where to begin: 0, or the place that the last step returned
	 * @return where the next step begins, if this was not the last one
	 */
	public CompletableFuture<OptionalLong> run(String queue, long from) {
		return this.runner.run(Script.TIDY, queue, "Tidying the lists of", (reply) -> {
			reply.text();
			String next = reply.textOrNull();
			return (next != null) ? OptionalLong.of(Long.parseLong(next)) : OptionalLong.empty();
		}, from);
	}

}
