package io.redelay.queue.deadletter;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.Uids;
import io.redelay.queue.script.admin.RedriveTurnScript;
import org.jspecify.annotations.Nullable;

/**
 * The turn of this instance to redrive the dead messages of a queue, which one instance
 * has at a time. Used by one thread at a time.
 */
final class RedriveTurn {

	private final String queue;

	private final Duration lease;

	private final String plan;

	private final RedriveTurnScript store;

	private final String owner = new Uids().next();

	private long number;

	private long answered;

	private boolean held;

	/**
	 * Creates a turn that this instance does not have yet.
	 * @param queue the queue
	 * @param lease how long an instance keeps the turn after its last request
	 * @param plan the part of the rule that determines its times
	 * @param store keeps the turn
	 */
	RedriveTurn(String queue, Duration lease, String plan, RedriveTurnScript store) {
		this.queue = queue;
		this.lease = lease;
		this.plan = plan;
		this.store = store;
	}

	/**
	 * Takes the turn or renews it.
	 * @param next the next time of the rule, if it is to be kept
	 * @param stayed when the last message died that stays dead, if that is to be kept
	 * @return the turn, and whether it was held all the time
	 */
	Renewal take(@Nullable Instant next, @Nullable Instant stayed) {
		long sent = ++this.number;
		RedriveTurnScript.Turn turn = DeadLetterForwarder.await(request(this.lease, sent, next, stayed));
		Long before = turn.before();
		// An unanswered request may have been carried out. An answered one that Redis
		// does not know shows that Redis went back in time.
		boolean continued = this.held && before != null && before >= this.answered;
		this.held = turn.held();
		this.answered = sent;
		return new Renewal(turn, continued);
	}

	/**
	 * Releases the turn, so that another instance can have it at once.
	 * @return a future that completes when that is done
	 */
	CompletableFuture<?> giveUp() {
		if (!this.held) {
			return CompletableFuture.completedFuture(null);
		}
		this.held = false;
		return request(Duration.ZERO, ++this.number, null, null);
	}

	private CompletableFuture<RedriveTurnScript.Turn> request(Duration length, long sent, @Nullable Instant next,
			@Nullable Instant stayed) {
		return this.store.take(this.queue,
				new RedriveTurnScript.Request(this.owner, length, sent, this.plan, next, stayed));
	}

	/**
	 * The reply to a request.
	 *
	 * @param turn the turn
	 * @param continued whether it was held by this instance since the request before
	 */
	record Renewal(RedriveTurnScript.Turn turn, boolean continued) {

	}

}
