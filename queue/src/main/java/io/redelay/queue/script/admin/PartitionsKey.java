package io.redelay.queue.script.admin;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * The layouts of the partitions of queues, under one key for all queues.
 * <p>
 * Safe for use by many threads.
 *
 * @param runner runs the script
 * @since 0.1.0
 */
public record PartitionsKey(ScriptRunner runner) {

	public CompletableFuture<Map<String, Layout>> list() {
		return run("Listing the partitions of queues", "");
	}

	public CompletableFuture<Map<String, Layout>> raise(String queue, Layout layout) {
		return run("Noting the partitions of the queue '" + queue + "'", "RAISE", queue, layout.partitions(),
				layout.keyed());
	}

	public CompletableFuture<Map<String, Layout>> set(String queue, Layout layout) {
		String what = "Noting the partitions of the queue '" + queue + "'";
		return layout.equals(Layout.SINGLE) ? run(what, "FORGET", queue)
				: run(what, "SET", queue, layout.partitions(), layout.keyed());
	}

	private CompletableFuture<Map<String, Layout>> run(String what, Object... args) {
		return this.runner.runOnKey(Script.PARTITIONS, "partitions", what, (reply) -> {
			Map<String, Layout> layouts = new HashMap<>();
			while (reply.hasNext()) {
				String queue = reply.text();
				String[] numbers = reply.text().split(" ");
				layouts.put(queue, new Layout(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1])));
			}
			return Collections.unmodifiableMap(layouts);
		}, args);
	}

	/**
	 * How many partitions a queue has, as the store knows it.
	 *
	 * @param partitions how many there are
	 * @param keyed over how many of them, from the first one on, messages with a key or
	 * an id are spread
	 */
	public record Layout(int partitions, int keyed) {

		/**
		 * The layout of a queue that has never had more than one partition.
		 */
		public static final Layout SINGLE = new Layout(1, 1);

	}

}
