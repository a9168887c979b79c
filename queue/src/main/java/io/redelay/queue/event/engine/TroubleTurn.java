package io.redelay.queue.event.engine;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

import io.redelay.queue.message.Uids;
import io.redelay.queue.script.admin.TroubleKey;
import io.redelay.scheduling.Scheduler;

/**
 * The turn of this instance to watch queues for trouble, which one instance of a group
 * has at a time.
 * <p>
 * For one thread, but for {@link #isHeld()}.
 */
final class TroubleTurn {

	/**
	 * A request is sent again for a while by itself.
	 */
	private static final Duration ANSWER = Duration.ofMinutes(1);

	private final Function<TroubleKey.Request, CompletableFuture<TroubleKey.Turn>> key;

	private final Duration lease;

	private final Scheduler clock;

	private final Uids uids = new Uids();

	/**
	 * Another name each time when it has no turn: an owner that has lost the turn, or
	 * does not know that it has it, must not replace what is recorded.
	 */
	private String owner = "";

	private long number;

	/**
	 * How long a look takes, in which the lease is not renewed.
	 */
	private Duration look = Duration.ZERO;

	private volatile boolean held;

	private volatile long untilNanos;

	/**
	 * Creates a turn that this instance does not have yet.
	 * @param key {@link TroubleKey#take}
	 * @param lease how long an instance keeps the turn after its last request, besides a
	 * look
	 * @param clock the clock
	 */
	TroubleTurn(Function<TroubleKey.Request, CompletableFuture<TroubleKey.Turn>> key, Duration lease, Scheduler clock) {
		this.key = key;
		this.lease = lease;
		this.clock = clock;
	}

	/**
	 * Takes the turn, or renews it and records troubles.
	 * @return whether it has the turn
	 * @throws ExecutionException if the store does not answer, or refuses
	 */
	TroubleKey.Turn take(Map<String, String> troubles)
			throws ExecutionException, TimeoutException, InterruptedException {
		if (!this.held) {
			this.owner = this.uids.next();
		}
		long sent = this.clock.nanoTime();
		Duration length = this.lease.plus(this.look.multipliedBy(2));
		TroubleKey.Turn turn = this.key.apply(new TroubleKey.Request(this.owner, ++this.number, length, troubles))
			.get(ANSWER.toMillis(), TimeUnit.MILLISECONDS);
		boolean isOwn = turn.state() != TroubleKey.Turn.State.OTHER;
		if (isOwn) {
			this.untilNanos = sent + length.toNanos();
		}
		this.held = isOwn;
		return turn;
	}

	/**
	 * Sets how long a look takes, so that the lease is not over meanwhile.
	 */
	void looksFor(Duration look) {
		this.look = look;
	}

	/**
	 * Returns whether it is certain that no other instance has the turn.
	 */
	boolean isHeld() {
		return this.held && this.clock.nanoTime() - this.untilNanos < 0;
	}

	/**
	 * Gives the turn up, so that another instance can have it at once.
	 */
	void giveUp(Map<String, String> troubles, Duration limit)
			throws ExecutionException, TimeoutException, InterruptedException {
		if (this.held) {
			this.held = false;
			this.key.apply(new TroubleKey.Request(this.owner, ++this.number, Duration.ZERO, troubles))
				.get(limit.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

}
