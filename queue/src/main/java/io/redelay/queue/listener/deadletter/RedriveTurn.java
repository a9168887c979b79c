package io.redelay.queue.listener.deadletter;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.store.RedriveStore;
import io.redelay.queue.store.Uids;
import org.jspecify.annotations.Nullable;

/**
 * The turn of this instance to redrive the dead messages of a queue, which one instance
 * has at a time. Used by one thread at a time.
 */
final class RedriveTurn {

	private final String queue;

	private final Duration lease;

	private final String plan;

	private final RedriveStore store;

	private final String owner = new Uids().next();

	private long number;

	private long answered;

	private boolean held;

	/**
	 * Creates a turn that is not taken yet.
	 * @param queue the queue
	 * @param lease how long an instance has it after its last request
	 * @param plan what the times of the rule follow from
	 * @param store keeps the turn
	 */
	RedriveTurn(String queue, Duration lease, String plan, RedriveStore store) {
		this.queue = queue;
		this.lease = lease;
		this.plan = plan;
		this.store = store;
	}

	/**
	 * Takes the turn or renews it.
	 * @param next the next time of the rule, if it is to be kept
	 * @param stayed when the last one died of those that stay, if that is to be kept
	 * @return whether the turn is held, and whether it was all the time
	 */
	Renewal take(@Nullable Instant next, @Nullable Instant stayed) {
		long sent = ++this.number;
		RedriveStore.Turn turn = DeadLetterForwarder.await(request(this.lease, sent, next, stayed));
		Long before = turn.before();
		// A request that was not answered may have been carried out. One that was
		// answered and is not known shows that Redis went back in time.
		boolean continued = this.held && before != null && before >= this.answered;
		this.held = turn.held();
		this.answered = sent;
		return new Renewal(turn, continued);
	}

	/**
	 * Gives the turn up, so that another instance has it at once.
	 * @return completes when that is done
	 */
	CompletableFuture<?> giveUp() {
		if (!this.held) {
			return CompletableFuture.completedFuture(null);
		}
		this.held = false;
		return request(Duration.ZERO, ++this.number, null, null);
	}

	private CompletableFuture<RedriveStore.Turn> request(Duration length, long sent, @Nullable Instant next,
			@Nullable Instant stayed) {
		return this.store.take(this.queue,
				new RedriveStore.TurnRequest(this.owner, length, sent, this.plan, next, stayed));
	}

	/**
	 * What came of a request.
	 *
	 * @param turn the turn
	 * @param continued whether it was held by this instance since the request before
	 */
	record Renewal(RedriveStore.Turn turn, boolean continued) {

	}

}
