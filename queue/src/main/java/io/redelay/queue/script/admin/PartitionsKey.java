package io.redelay.queue.script.admin;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * The layouts of the partitions of queues, under one key for all queues.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class PartitionsKey {

	private final ScriptRunner runner;

	PartitionsKey(ScriptRunner runner) {
		this.runner = runner;
	}

	public CompletableFuture<Map<String, PartitionLayout>> list() {
		return run("Listing the partitions of queues", "");
	}

	public CompletableFuture<Map<String, PartitionLayout>> raise(String queue, PartitionLayout layout) {
		return run("Noting the partitions of the queue '" + queue + "'", "RAISE", queue, text(layout.partitions()),
				text(layout.keyed()));
	}

	public CompletableFuture<Map<String, PartitionLayout>> set(String queue, PartitionLayout layout) {
		String what = "Noting the partitions of the queue '" + queue + "'";
		return layout.equals(PartitionLayout.SINGLE) ? run(what, "FORGET", queue)
				: run(what, "SET", queue, text(layout.partitions()), text(layout.keyed()));
	}

	private static String text(int number) {
		return Integer.toString(number);
	}

	private CompletableFuture<Map<String, PartitionLayout>> run(String what, Object... args) {
		return this.runner.run(what, Script.PARTITIONS, List.of(this.runner.key("partitions")), args, (reply) -> {
			Map<String, PartitionLayout> layouts = new HashMap<>();
			while (reply.hasNext()) {
				String queue = reply.text();
				String[] numbers = reply.text().split(" ");
				layouts.put(queue, new PartitionLayout(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1])));
			}
			return Map.copyOf(layouts);
		});
	}

}
