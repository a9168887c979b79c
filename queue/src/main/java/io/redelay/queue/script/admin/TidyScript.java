package io.redelay.queue.script.admin;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Removes entries of former messages from the lists of ready messages.
 */
public final class TidyScript {

	private final ScriptRunner runner;

	TidyScript(ScriptRunner runner) {
		this.runner = runner;
	}

	/**
	 * @param from where to begin: 0, or the place that the last step returned
	 * @return where the next step begins, if this was not the last one
	 */
	public CompletableFuture<OptionalLong> run(String queue, long from) {
		QueueKeys keys = this.runner.keys(queue);
		return this.runner.run("Tidying the lists of the queue '" + queue + "'", Script.TIDY, keys.of(Script.TIDY),
				new Object[] { Long.toString(from) }, (reply) -> {
					reply.text();
					String next = reply.textOrNull();
					return (next != null) ? OptionalLong.of(Long.parseLong(next)) : OptionalLong.empty();
				});
	}

}
