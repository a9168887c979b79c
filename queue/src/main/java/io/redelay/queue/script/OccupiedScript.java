package io.redelay.queue.script;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.redelay.queue.wire.QueueKeys;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * Finds which of many queues have living messages, or notes in their outbox.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record OccupiedScript(ScriptRunner runner) {

	/**
	 * How many queues one request looks at.
	 */
	private static final int MAX_QUEUES = 500;

	/**
	 * Returns whether one request can look at many queues; not on a cluster, as the keys
	 * of a request must be in one slot.
	 * @return whether it can
	 */
	public boolean looksAtMany() {
		return !this.runner.isClustered();
	}

	/**
	 * Runs the script as often as the number of queues requires.
	 * @param queues the queues
	 * @return those of them that have something
	 */
	public CompletableFuture<List<String>> run(List<String> queues) {
		return run(queues, MAX_QUEUES, "queues", (keys) -> List.of(keys.messages(), keys.outbox()));
	}

	/**
	 * Finds which of many inlets exist: with one request for each inlet on a cluster, as
	 * the keys of a request must be in one slot.
	 * @param queues their queues
	 * @return those of them
	 */
	public CompletableFuture<List<String>> findInlets(List<String> queues) {
		return run(queues, looksAtMany() ? MAX_QUEUES : 1, "inlets", (keys) -> List.of(keys.inlet()));
	}

	private CompletableFuture<List<String>> run(List<String> queues, int step, String what,
			Function<QueueKeys, List<Object>> keysOf) {
		List<CompletableFuture<List<String>>> parts = new ArrayList<>();
		for (int first = 0; first < queues.size(); first += step) {
			parts.add(runPart(queues.subList(first, Math.min(queues.size(), first + step)), what, keysOf));
		}
		return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
			.thenApply((all) -> parts.stream().flatMap((part) -> part.join().stream()).toList());
	}

	private CompletableFuture<List<String>> runPart(List<String> queues, String what,
			Function<QueueKeys, List<Object>> keysOf) {
		List<Object> keys = queues.stream().flatMap((queue) -> keysOf.apply(this.runner.keys(queue)).stream()).toList();
		int ofEach = keys.size() / queues.size();
		return this.runner.run("Looking at " + queues.size() + " " + what, Script.OCCUPIED, keys, new Object[0],
				(reply) -> reply.list((each) -> queues.get((int) (each.number() - 1) / ofEach))
					.stream()
					.distinct()
					.toList());
	}

}
