package io.redelay.queue.script.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Looks for messages by their ids or uids.
 *
 * @since 0.1.0
 */
public final class FindScript {

	private final ScriptRunner runner;

	private final String maxBytes;

	FindScript(ScriptRunner runner, String maxBytes) {
		this.runner = runner;
		this.maxBytes = maxBytes;
	}

	/**
	 * Looks for messages. If they are large, it ends before the last one.
	 * @param names their ids or uids, at most {@value AdminScripts#MAX_PAGE}
	 * @return the messages found, of the names that were gone through
	 */
	public CompletableFuture<MessagePage> run(String queue, List<String> names) {
		List<Object> args = new ArrayList<>(1 + names.size());
		args.add(this.maxBytes);
		args.addAll(names);
		return this.runner.run("Looking for messages of the queue '" + queue + "'", Script.FIND,
				this.runner.keys(queue).of(Script.FIND), args.toArray(), StoredMessages::page);
	}

}
