package io.redelay.queue.script.admin;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * The feed of the events of all instances, in which the last batches of events are: a
 * stream under a key of its own.
 *
 * @param runner runs the script
 * @param maxBatches how many batches the feed keeps
 * @since 0.1.0
 */
public record EventFeed(ScriptRunner runner, int maxBatches) {

	private static final String KEY = "{events}";

	/**
	 * How many batches one request reads.
	 */
	private static final String PAGE = "20";

	private static final String KEPT_MILLIS = ScriptTime.millis(Duration.ofHours(1));

	/**
	 * Adds a batch. A batch that is added twice has the same numbers.
	 * @param source the name of the instance, which is new with each start
	 * @param first the number of the first event
	 * @param events the events, JSON
	 * @return a future that completes when it is added
	 */
	public CompletableFuture<Void> append(String source, long first, String events) {
		return this.runner.runOnKey(Script.APPEND_EVENTS, KEY, "Adding events to the feed", (reply) -> null,
				this.maxBatches - 1, KEPT_MILLIS, source, first, events);
	}

	/**
	 * Reads batches.
	 * @param after the last entry that was read, or empty to begin behind the last one
	 * that is there
	 * @return what follows
	 */
	public CompletableFuture<Page> read(String after) {
		return this.runner.runOnKey(Script.READ_EVENTS, KEY, "Reading the feed of events",
				(reply) -> new Page(reply.text(),
						reply.list((each) -> new Batch(each.text(), each.number(), each.text()))),
				after, PAGE);
	}

	/**
	 * A page of the feed.
	 *
	 * @param last the last entry that was read by now
	 * @param batches the batches
	 */
	public record Page(String last, List<Batch> batches) {

	}

	/**
	 * Events of one instance.
	 *
	 * @param source the instance
	 * @param first the number of the first event
	 * @param events the events, JSON
	 */
	public record Batch(String source, long first, String events) {

	}

}
