package io.redelay.queue.claim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.redelay.queue.invariant.Invariant;
import io.redelay.queue.invariant.Invariants;
import org.jspecify.annotations.Nullable;

/**
 * What a claim loop is doing, and whether it may claim: not while it is paused or
 * stopping, or while a gate of this instance is closed.
 * <p>
 * Its lock is the lock of the loop: it guards all state of the loop, and is held for each
 * change of this object, which any thread may read. No thread holds it while it calls
 * code that may block.
 */
final class LoopStatus {

	private final String queue;

	private final Invariants invariants;

	private volatile LoopState state = LoopState.IDLE;

	private volatile Mode mode = Mode.CLAIMING;

	private volatile boolean gated;

	/**
	 * The actions that follow the present change; guarded by this object.
	 */
	private final List<Runnable> following = new ArrayList<>();

	/**
	 * How many changes are made now, each within the one before; guarded by this object.
	 */
	private int changes;

	/**
	 * Creates the status of a loop that claims, and has sent no request.
	 */
	LoopStatus(String queue, Invariants invariants) {
		this.queue = queue;
		this.invariants = invariants;
	}

	/**
	 * Changes the state of the loop under its lock, and then runs what has to follow
	 * without it. A change within another one is a part of that one.
	 * @param change must not block
	 */
	<T extends @Nullable Object> T change(Supplier<T> change) {
		T result;
		List<Runnable> actions;
		synchronized (this) {
			this.changes++;
			try {
				result = change.get();
			}
			finally {
				this.changes--;
			}
			actions = takeFollowing();
		}
		run(actions);
		return result;
	}

	void change(Runnable change) {
		List<Runnable> actions;
		synchronized (this) {
			this.changes++;
			try {
				change.run();
			}
			finally {
				this.changes--;
			}
			actions = takeFollowing();
		}
		run(actions);
	}

	private static void run(List<Runnable> actions) {
		if (!actions.isEmpty()) {
			actions.forEach(Runnable::run);
		}
	}

	private List<Runnable> takeFollowing() {
		if (this.changes > 0 || this.following.isEmpty()) {
			return List.of();
		}
		List<Runnable> taken = List.copyOf(this.following);
		this.following.clear();
		return taken;
	}

	/**
	 * Has an action run, without the lock, when the present change is made. Guarded by
	 * this object.
	 */
	void afterwards(Runnable action) {
		this.following.add(action);
	}

	LoopState state() {
		return this.state;
	}

	/**
	 * Enters a state. If {@link LoopState} does not allow the transition, this method
	 * reports that and makes the transition nevertheless: a loop that refused it would
	 * never claim again.
	 * @param held how many messages the loop holds
	 */
	void enter(LoopState next, int held) {
		if (!this.state.next().contains(next)) {
			violated(Invariant.LOOP_STATE,
					this.state + " is followed by " + next + ", with " + held + " messages held");
		}
		this.state = next;
	}

	void violated(Invariant invariant, String what) {
		this.invariants.violated(this.queue, invariant, what);
	}

	/**
	 * Returns whether the loop must not send a request now.
	 */
	boolean isBusy() {
		return this.state.isBusy();
	}

	boolean isClaiming() {
		return this.mode == Mode.CLAIMING && !this.gated;
	}

	boolean isPaused() {
		return this.mode == Mode.PAUSED;
	}

	boolean isStopping() {
		return this.mode == Mode.STOPPING;
	}

	boolean isGated() {
		return this.gated;
	}

	/**
	 * Ends claiming for good.
	 */
	void stop() {
		this.mode = Mode.STOPPING;
	}

	/**
	 * Ends claiming until {@link #resume()} is called.
	 */
	void pause() {
		if (this.mode == Mode.CLAIMING) {
			this.mode = Mode.PAUSED;
		}
	}

	void resume() {
		if (this.mode == Mode.PAUSED) {
			this.mode = Mode.CLAIMING;
		}
	}

	/**
	 * Sets whether the gates of this instance are open.
	 * @return whether that has changed
	 */
	boolean gate(boolean open) {
		boolean changed = this.gated == open;
		this.gated = !open;
		return changed;
	}

	/**
	 * The mode that the container has set.
	 */
	private enum Mode {

		CLAIMING, PAUSED, STOPPING

	}

}
