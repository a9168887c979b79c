package io.redelay.queue.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.store.EventFeed;
import io.redelay.queue.store.ScriptTime;

/**
 * The feed as a stream under a key of its own.
 */
final class RedisEventFeed implements EventFeed {

	/**
	 * How many batches one request reads.
	 */
	private static final String PAGE = "20";

	private static final String KEPT_MILLIS = ScriptTime.millis(Duration.ofHours(1));

	private final ScriptRunner runner;

	private final int maxBatches;

	RedisEventFeed(ScriptRunner runner, int maxBatches) {
		this.runner = runner;
		this.maxBatches = maxBatches;
	}

	@Override
	public CompletableFuture<Void> append(String source, long first, String events) {
		return this.runner.run(
				"Adding events to the feed", Script.APPEND_EVENTS, keys(), new Object[] {
						Integer.toString(this.maxBatches - 1), KEPT_MILLIS, source, Long.toString(first), events },
				(reply) -> null);
	}

	@Override
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

}
