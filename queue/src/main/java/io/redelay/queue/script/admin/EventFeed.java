package io.redelay.queue.script.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.ScriptTime;
import io.redelay.queue.wire.Script;
import io.redelay.queue.wire.ScriptRunner;

/**
 * The feed of the events of all instances, in which the last batches of events are: a
 * stream under a key of its own.
 *
 * @since 0.1.0
 */
public final class EventFeed {

	/**
	 * How many batches one request reads.
	 */
	private static final String PAGE = "20";

	private static final String KEPT_MILLIS = ScriptTime.millis(Duration.ofHours(1));

	private final ScriptRunner runner;

	private final int maxBatches;

	EventFeed(ScriptRunner runner, int maxBatches) {
		this.runner = runner;
		this.maxBatches = maxBatches;
	}

	/**
	 * Adds a batch. A batch that is added twice has the same numbers.
	 * @param source the name of the instance, which is new with each start
	 * @param first the number of the first event
	 * @param events the events, JSON
	 * @return a future that completes when it is added
	 */
	public CompletableFuture<Void> append(String source, long first, String events) {
		return this.runner.run(
				"Adding events to the feed", Script.APPEND_EVENTS, keys(), new Object[] {
						Integer.toString(this.maxBatches - 1), KEPT_MILLIS, source, Long.toString(first), events },
				(reply) -> null);
	}

	/**
	 * Reads batches.
	 * @param after the last entry that was read, or empty to begin behind the last one
	 * that is there
	 * @return what follows
	 */
	public CompletableFuture<Page> read(String after) {
		return this.runner.run("Reading the feed of events", Script.READ_EVENTS, keys(), new Object[] { after, PAGE },
				(reply) -> {
					String last = reply.text();
					List<Batch> batches = new ArrayList<>();
					while (reply.hasNext()) {
						batches.add(new Batch(reply.text(), reply.number(), reply.text()));
					}
					return new Page(last, batches);
				});
	}

	private List<Object> keys() {
		return List.of(this.runner.key("{events}"));
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
