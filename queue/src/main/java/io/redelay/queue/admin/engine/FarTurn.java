package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.script.admin.QueueNames;
import io.redelay.scheduling.Scheduler;

/**
 * The turn of an instance for something that one at a time is to do. It is taken when it
 * is asked for first, prolonged while that goes on, and given up for good once another
 * instance has it.
 * <p>
 * Safe for use by many threads, of which two may ask at once.
 */
final class FarTurn {

	private final QueueNames names;

	private final Scheduler clock;

	private final String what;

	private final String owner;

	private final Duration duration;

	private volatile long askedNanos;

	private volatile boolean asked;

	private volatile boolean own;

	/**
	 * Creates a turn, which is not taken yet.
	 * @param what the purpose
	 * @param owner the instance
	 * @param duration how long it lasts unless it is prolonged
	 */
	FarTurn(QueueNames names, Scheduler clock, String what, String owner, Duration duration) {
		this.names = names;
		this.clock = clock;
		this.what = what;
		this.owner = owner;
		this.duration = duration;
	}

	/**
	 * Returns whether it was the turn of this instance when Redis was asked last.
	 */
	boolean wasOwn() {
		return this.own;
	}

	/**
	 * Returns whether it is the turn of this instance. Redis is asked if a third of the
	 * time has passed since it was asked last.
	 */
	CompletableFuture<Boolean> isOwn() {
		long now = this.clock.nanoTime();
		if (this.asked && (!this.own || now - this.askedNanos < this.duration.toNanos() / 3)) {
			return CompletableFuture.completedFuture(this.own);
		}
		this.askedNanos = now;
		return this.names.takeTurn(this.what, this.owner, this.duration).thenApply((taken) -> {
			this.asked = true;
			this.own = taken;
			return taken;
		});
	}

}
