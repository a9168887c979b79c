package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.MessageState;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;
import io.redelay.queue.wire.ScriptWords;

/**
 * Shows a page of the messages in a state.
 *
 * @since 0.1.0
 */
public final class BrowseScript {

	private final ScriptRunner runner;

	private final String maxBytes;

	BrowseScript(ScriptRunner runner, String maxBytes) {
		this.runner = runner;
		this.maxBytes = maxBytes;
	}

	/**
	 * Shows messages in a state. If they are large, it ends before the page is full.
	 * @param offset how many to pass over
	 * @param count how many to show, at most {@value AdminScripts#MAX_PAGE}
	 * @return the messages; the next ones are behind those that were gone through
	 */
	public CompletableFuture<MessagePage> run(String queue, MessageState state, long offset, int count) {
		return run(queue, state, offset, count, ScriptWords.BEGINNING);
	}

	/**
	 * Browses from the place that the step before returned. Messages in flight are
	 * skipped in steps of some 51,200.
	 */
	private CompletableFuture<MessagePage> run(String queue, MessageState state, long offset, int count, String place) {
		Object[] args = { state.name(), Long.toString(offset), Integer.toString(count), this.maxBytes, place };
		return this.runner.run("Browsing the queue '" + queue + "'", Script.BROWSE,
				this.runner.keys(queue).of(Script.BROWSE), args, (reply) -> {
					reply.text();
					Instant time = reply.time();
					boolean hasNext = reply.flag();
					int passed = (int) reply.number();
					String next = reply.text();
					long seen = reply.number();
					return next.equals(ScriptWords.BEGINNING)
							? CompletableFuture
								.completedFuture(new MessagePage(time, StoredMessages.read(reply), passed, hasNext))
							: run(queue, state, Math.max(0, offset - seen), count, next);
				})
			.thenCompose((page) -> page);
	}

}
