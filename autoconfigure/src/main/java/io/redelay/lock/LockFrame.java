package io.redelay.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The locks of one call, all of which it holds.
 */
final class LockFrame {

	private final LockSpec spec;

	private final List<LockHold> holds;

	private final LockKey first;

	private final boolean fresh;

	private final long since = System.nanoTime();

	private final AtomicBoolean released = new AtomicBoolean();

	private volatile boolean minHoldEnded;

	/**
	 * Creates a frame.
	 * @param spec what was asked for
	 * @param holds what is held
	 * @param first the key of the first name
	 * @param fresh whether any lock was taken, not only entered again
	 */
	LockFrame(LockSpec spec, List<LockHold> holds, LockKey first, boolean fresh) {
		this.spec = spec;
		this.holds = holds;
		this.first = first;
		this.fresh = fresh;
	}

	LockSpec spec() {
		return this.spec;
	}

	boolean isFresh() {
		return this.fresh;
	}

	long heldNanos() {
		return System.nanoTime() - this.since;
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

	boolean throwsIfLost() {
		return this.spec.leaseLost() == LeaseLost.THROW;
	}

	/**
	 * Whether all locks are still held, as far as is known.
	 */
	CompletableFuture<Boolean> isHeld() {
		return forAll(this.holds, LockHold::isHeld);
	}

	/**
	 * Releases all locks as if what they protect had not run.
	 */
	void abandon() {
		if (this.released.compareAndSet(false, true)) {
			releaseAll(this.holds);
		}
	}

	/**
	 * Lets the locks be released though they were not held for as long as they are to be
	 * at least, as they are going to be taken again.
	 */
	void endMinHold() {
		this.minHoldEnded = true;
	}

	/**
	 * Releases all locks, each though another's release failed.
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
