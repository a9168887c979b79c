package io.redelay.queue.event.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

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
final class FeedWriter implements Consumer<Move> {

	/**
	 * How many events a batch has.
	 */
	static final int BATCH = 250;

	private static final Duration ANSWER = Duration.ofMinutes(1);

	private final MessageTransitions moves;

	private final EventFeed feed;

	private final String source;

	private final MoveBuffer<Move> buffer;

	private final Duration gather;

	private final FailedAttemptCodec codec;

	private final String instance;

	private final EventJson json = new EventJson();

	private final AtomicLong failed = new AtomicLong();

	private final DroppedMoves dropped;

	private final EventThread thread = new EventThread("redelay-event-feed-", this::run);

	FeedWriter(MessageTransitions moves, EventFeed feed, String source, int capacity, Duration gather,
			FailedAttemptCodec codec, String instance, Scheduler clock) {
		this.moves = moves;
		this.feed = feed;
		this.source = source;
		this.buffer = new MoveBuffer<>(capacity, clock);
		this.dropped = new DroppedMoves("there are more than can be written to the feed, or Redis does not take them",
				clock);
		this.gather = gather;
		this.codec = codec;
		this.instance = instance;
	}

	void start() {
		this.thread.start();
		this.moves.add(this);
	}

	@Override
	public void accept(Move move) {
		if (!this.buffer.add(move)) {
			this.dropped.log(dropped());
		}
	}

	long dropped() {
		return this.buffer.dropped() + this.failed.get();
	}

	/**
	 * Ends; events that wait are written within a time.
	 */
	void close(Duration limit) {
		this.moves.remove(this);
		this.buffer.close();
		this.thread.end(limit);
	}

	private void run() throws InterruptedException {
		MoveBuffer.Taken<Move> taken = this.buffer.take(BATCH, this.gather.toMillis());
		while (!taken.moves().isEmpty()) {
			write(taken);
			taken = this.buffer.take(BATCH, this.gather.toMillis());
		}
	}

	private void write(MoveBuffer.Taken<Move> taken) throws InterruptedException {
		try {
			List<MessageEvent> events = new ArrayList<>(taken.moves().size());
			taken.moves().forEach((move) -> events.add(move.toEvent(this.codec, this.instance)));
			this.feed.append(this.source, taken.first(), this.json.write(events))
				.get(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException | RuntimeException ex) {
			this.failed.addAndGet(taken.moves().size());
			this.dropped.log(dropped());
		}
	}

}
