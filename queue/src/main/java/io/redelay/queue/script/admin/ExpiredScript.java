package io.redelay.queue.script.admin;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Shows messages that wait although their time to live is over.
 *
 * @since 0.1.0
 */
public final class ExpiredScript {

	private final ScriptRunner runner;

	private final String maxBytes;

	ExpiredScript(ScriptRunner runner, String maxBytes) {
		this.runner = runner;
		this.maxBytes = maxBytes;
	}

	/**
	 * Shows messages that wait although their time to live is over. Each must be
	 * {@linkplain MessageCommand.Action#EXPIRE expired} before the next ones are asked
	 * for.
	 * @return the messages, if there is a next page or none
	 */
	public CompletableFuture<MessagePage> run(String queue) {
		return this.runner.run("Looking for expired messages of the queue '" + queue + "'", Script.EXPIRED,
				this.runner.keys(queue).of(Script.EXPIRED), new Object[] { this.maxBytes }, StoredMessages::page);
	}

}
