package io.redelay.queue.event.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.redelay.queue.event.MessageEvent;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.script.admin.EventFeed;
import io.redelay.scheduling.Scheduler;

/**
 * Writes the moves of this instance to the feed, in batches, one after the other. Moves
 * that come while the buffer is full are dropped; the numbers of the events show readers
 * how many are missing.
 * <p>
 * Safe for use by many threads.
 */
final class FeedWriter extends MoveBuffer<Move> {

	/**
	 * How many events a batch has.
	 */
	static final int BATCH = 250;

	private static final Duration ANSWER = Duration.ofMinutes(1);

	private final MessageTransitions moves;

	private final EventFeed feed;

	private final String source;

	private final FailedAttemptCodec codec;

	private final String instance;

	private final EventJson json = new EventJson();

	FeedWriter(MessageTransitions moves, EventFeed feed, String source, EventSettings settings,
			FailedAttemptCodec codec, Scheduler clock) {
		super("redelay-event-feed-", settings.buffer(), BATCH, settings.gather(),
				"there are more than can be written to the feed, or Redis does not take them", clock);
		this.moves = moves;
		this.feed = feed;
		this.source = source;
		this.codec = codec;
		this.instance = settings.instance();
	}

	@Override
	void start() {
		super.start();
		this.moves.add(this);
	}

	@Override
	void close(Duration limit) {
		this.moves.remove(this);
		super.close(limit);
	}

	@Override
	void deliver(long first, List<Move> moves) throws InterruptedException {
		try {
			List<MessageEvent> events = moves.stream().map((move) -> move.toEvent(this.codec, this.instance)).toList();
			this.feed.append(this.source, first, this.json.write(events)).get(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException | RuntimeException ex) {
			drop(moves.size());
		}
	}

}
