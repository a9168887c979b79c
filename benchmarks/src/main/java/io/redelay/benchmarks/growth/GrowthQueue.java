package io.redelay.benchmarks.growth;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.claim.ClaimLane;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.RequestBatcher;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.SendScripts;
import org.jspecify.annotations.Nullable;

/**
 * A queue that is filled and claimed from through the store. Each message is made when it
 * is sent, so that this process stays small whatever the backlog.
 */
final class GrowthQueue {

	/**
	 * How many messages a claim takes.
	 */
	static final int BATCH = 100;

	private static final int TOGETHER = 1000;

	private static final int MAX_BYTES = 4 * 1024 * 1024;

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final Duration SLEEP = Duration.ofSeconds(5);

	private static final long HOUR = Duration.ofHours(1).toMillis();

	private static final long DAY = Duration.ofDays(1).toMillis();

	private final byte[] envelope;

	private final Uids uids = new Uids();

	private final SplittableRandom random = new SplittableRandom(7);

	private final RequestBatcher<NewMessage, SendReply> sender;

	private final ClaimLane consumer;

	private List<Settlement> finished = List.of();

	GrowthQueue(QueueScripts store, byte[] envelope) {
		this.envelope = envelope;
		this.sender = new RequestBatcher<>(
				store.sends().protocol("growth", new SendScripts.Terms(10 * TOGETHER, null, null)),
				store.replayMemory());
		this.consumer = new ClaimLane(store, "growth", LEASE, ClaimLimits.NONE, true, new ClaimLane.RetryTimes(),
				Invariants.LOGGED);
	}

	/**
	 * Adds messages to a backlog.
	 */
	void fill(Backlog backlog, int count) {
		CompletableFuture<?> before = CompletableFuture.completedFuture(null);
		for (int sent = 0; sent < count; sent += TOGETHER) {
			CompletableFuture<?> request = send(backlog, Math.min(TOGETHER, count - sent));
			before.join();
			before = request;
		}
		before.join();
	}

	private CompletableFuture<?> send(Backlog backlog, int count) {
		List<NewMessage> messages = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			messages.add(new NewMessage(this.uids.next(), null, delay(backlog), null, this.envelope));
		}
		return this.sender.submit(messages, true);
	}

	private @Nullable Duration delay(Backlog backlog) {
		return switch (backlog) {
			case WAITING -> null;
			case SCHEDULED -> Duration.ofMillis(HOUR + this.random.nextLong(DAY));
		};
	}

	/**
	 * Opens the lane that claims.
	 */
	void open() {
		this.consumer.open().join();
	}

	/**
	 * Takes a batch, and acknowledges the one before.
	 */
	void claim() {
		int messages = claim(BATCH);
		if (messages != BATCH) {
			throw new IllegalStateException("A claim of %d messages gave %d".formatted(BATCH, messages));
		}
	}

	private int claim(int wanted) {
		ClaimReply reply = this.consumer.claim(wanted, 0, MAX_BYTES, true, SLEEP, this.finished).join();
		if (!reply.refused().isEmpty()) {
			throw new IllegalStateException("%d acknowledgements were refused".formatted(reply.refused().size()));
		}
		this.finished = reply.messages()
			.stream()
			.map((message) -> Settlement.ack(message.uid(), message.claim()))
			.toList();
		return reply.messages().size();
	}

	/**
	 * Acknowledges the last batch, and closes the lane.
	 */
	void close() {
		claim(0);
		this.consumer.close().join();
	}

}
