package io.redelay.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one call, all of which are held.
 */
final class LockFrame {

	private final LockSpec spec;

	private final List<LockHold> holds;

	private final LockKey first;

	private final boolean fresh;

	private final LockOrigin origin;

	private final Scheduler scheduler;

	private final long since;

	private final AtomicBoolean released = new AtomicBoolean();

	private volatile boolean minHoldEnded;

	/**
	 * Creates a frame.
	 * @param spec the specification of the locks
	 * @param holds the locks
	 * @param first the key of the first name
	 * @param fresh whether any lock was newly taken, not only entered again
	 * @param scheduler the clock that measures how long they are held
	 */
	LockFrame(LockSpec spec, List<LockHold> holds, LockKey first, boolean fresh, LockOrigin origin,
			Scheduler scheduler) {
		this.spec = spec;
		this.holds = holds;
		this.first = first;
		this.fresh = fresh;
		this.origin = origin;
		this.scheduler = scheduler;
		this.since = scheduler.nanoTime();
	}

	LockSpec spec() {
		return this.spec;
	}

	boolean isFresh() {
		return this.fresh;
	}

	long heldNanos() {
		return this.scheduler.nanoTime() - this.since;
	}

	@Nullable Long token() {
		LockHold hold = find(this.first);
		return (hold != null) ? hold.handle().token() : null;
	}

	@Nullable LockHold find(LockKey key) {
		for (LockHold hold : this.holds) {
			if (hold.key().equals(key)) {
				return hold;
			}
		}
		return null;
	}

	/**
	 * The thread that requested the locks.
	 */
	LockOrigin origin() {
		return this.origin;
	}

	/**
	 * Whether its release has begun.
	 */
	boolean isReleased() {
		return this.released.get();
	}

	boolean throwsIfLost() {
		return this.spec.leaseLost() == LeaseLost.THROW;
	}

	/**
	 * Returns whether all locks are still held, as far as is known.
	 */
	CompletableFuture<Boolean> isHeld() {
		return forAll(this.holds, LockHold::isHeld);
	}

	/**
	 * Releases all locks because the code that they protect is not going to run.
	 */
	void abandon() {
		if (this.released.compareAndSet(false, true)) {
			releaseAll(this.holds);
		}
	}

	/**
	 * Drops the minimal time for which the locks are held, because they are taken again
	 * immediately.
	 */
	void endMinHold() {
		this.minHoldEnded = true;
	}

	/**
	 * Releases all locks, also after the release of one has failed.
	 * @return whether all were still held
	 */
	CompletableFuture<Boolean> release() {
		if (!this.released.compareAndSet(false, true)) {
			return CompletableFuture.completedFuture(true);
		}
		if (!this.spec.minHold().isZero() && !this.minHoldEnded) {
			long until = this.since + this.spec.minHold().toNanos();
			this.holds.forEach((hold) -> hold.holdUntil(until));
		}
		return throwsIfLost() ? forAll(this.holds, LockHold::leaveLooking) : releaseAll(this.holds);
	}

	static CompletableFuture<Boolean> releaseAll(List<LockHold> holds) {
		return forAll(holds, LockHold::leave);
	}

	private static CompletableFuture<Boolean> forAll(List<LockHold> holds,
			Function<LockHold, CompletableFuture<Boolean>> action) {
		if (holds.size() == 1) {
			return action.apply(holds.get(0));
		}
		List<CompletableFuture<Boolean>> releases = new ArrayList<>(holds.size());
		for (int i = holds.size() - 1; i >= 0; i--) {
			releases.add(action.apply(holds.get(i)));
		}
		return CompletableFuture.allOf(releases.toArray(CompletableFuture[]::new))
			.thenApply((done) -> releases.stream().allMatch(CompletableFuture::join));
	}

}
