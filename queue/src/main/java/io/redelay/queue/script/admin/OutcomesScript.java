package io.redelay.queue.script.admin;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.MessageState;
import io.redelay.queue.message.KeptResult;
import io.redelay.queue.wire.Script;

/**
 * Asks for the states and results of messages.
 *
 * @param admin the scripts of the server
 * @since 0.1.0
 */
public record OutcomesScript(AdminScripts admin) {

	/**
	 * Asks for the states and results of messages.
	 * @param names their ids or uids, at most {@link AdminScripts#MAX_PAGE}
	 * @return what became of the first ones, in their order: of all, unless the reply
	 * would be too large
	 */
	public CompletableFuture<List<Outcome>> run(String queue, List<String> names) {
		List<Object> args = new ArrayList<>(names.size() + 1);
		args.add(this.admin.maxBytes());
		args.addAll(names);
		return this.admin.runner().run(Script.OUTCOMES, queue, "Asking what became of messages of", (reply) -> {
			reply.timeAfterStatus();
			return reply.list((each) -> new Outcome(MessageState.valueOf(each.text()), each.bytes()));
		}, args.toArray());
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
