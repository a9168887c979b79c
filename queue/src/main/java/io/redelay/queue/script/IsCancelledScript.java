package io.redelay.queue.script;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Finds which messages that a lane holds were cancelled.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record IsCancelledScript(ScriptRunner runner) {

	/**
	 * How many messages one request can name.
	 */
	public static final int MAX_ASKED = 500;

	/**
	 * Runs the script.
	 * @param queue the queue
	 * @param uids the messages, at most {@value #MAX_ASKED}
	 * @return the messages that must not be tried again
	 */
	public CompletableFuture<Set<String>> run(String queue, List<String> uids) {
		if (uids.isEmpty()) {
			return CompletableFuture.completedFuture(Set.of());
		}
		return this.runner.run("Asking which messages of the queue '" + queue + "' were cancelled", Script.IS_CANCELLED,
				this.runner.keys(queue).of(Script.IS_CANCELLED), uids.toArray(),
				(reply) -> uids.stream().filter((uid) -> reply.flag()).collect(Collectors.toSet()));
	}

}
