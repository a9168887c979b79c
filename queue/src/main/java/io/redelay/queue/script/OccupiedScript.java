package io.redelay.queue.script;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

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
		List<CompletableFuture<List<String>>> parts = new ArrayList<>();
		for (int first = 0; first < queues.size(); first += MAX_QUEUES) {
			parts.add(runPart(queues.subList(first, Math.min(queues.size(), first + MAX_QUEUES))));
		}
		return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
			.thenApply((all) -> parts.stream().flatMap((part) -> part.join().stream()).toList());
	}

	private CompletableFuture<List<String>> runPart(List<String> queues) {
		List<Object> keys = new ArrayList<>(2 * queues.size());
		queues.forEach((queue) -> {
			QueueKeys names = this.runner.keys(queue);
			keys.addAll(List.of(names.messages(), names.outbox()));
		});
		return this.runner.run("Looking at " + queues.size() + " queues", Script.OCCUPIED, keys, new Object[0],
				(reply) -> {
					Set<String> occupied = new LinkedHashSet<>();
					while (reply.hasNext()) {
						occupied.add(queues.get((int) (reply.number() - 1) / 2));
					}
					return List.copyOf(occupied);
				});
	}

}
