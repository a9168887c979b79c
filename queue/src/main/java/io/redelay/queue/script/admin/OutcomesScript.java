package io.redelay.queue.script.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.MessageState;
import io.redelay.queue.message.KeptResult;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Asks for the states and results of messages.
 *
 * @since 0.1.0
 */
public final class OutcomesScript {

	private final ScriptRunner runner;

	private final String maxBytes;

	OutcomesScript(ScriptRunner runner, String maxBytes) {
		this.runner = runner;
		this.maxBytes = maxBytes;
	}

	/**
	 * Asks for the states and results of messages.
	 * @param names their ids or uids, at most {@link AdminScripts#MAX_PAGE}
	 * @return what became of the first ones, in their order: of all, unless the reply
	 * would be too large
	 */
	public CompletableFuture<List<Outcome>> run(String queue, List<String> names) {
		List<Object> args = new ArrayList<>(names.size() + 1);
		args.add(this.maxBytes);
		args.addAll(names);
		return this.runner.run("Asking what became of messages of the queue '" + queue + "'", Script.OUTCOMES,
				this.runner.keys(queue).of(Script.OUTCOMES), args.toArray(), (reply) -> {
					reply.text();
					reply.time();
					List<Outcome> outcomes = new ArrayList<>();
					while (reply.hasNext()) {
						outcomes.add(new Outcome(MessageState.valueOf(reply.text()), reply.bytes()));
					}
					return outcomes;
				});
	}

	/**
	 * The present state of a message, and its result or cause of death.
	 *
	 * @param state its state
	 * @param detail the reason why it is dead, as JSON, or the result of its handler, as
	 * {@link KeptResult} reads it; empty if neither is known
	 */
	@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared
												// or
												// changed
	public record Outcome(MessageState state, byte[] detail) {
	}

}
