package io.redelay.lock;

import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The locks that a thread, or a subscription to a publisher, holds. A lock in here is
 * entered again without asking the provider.
 * <p>
 * Safe for use by many threads: a transaction may end on another thread.
 */
final class HeldLocks {

	private static final ThreadLocal<@Nullable HeldLocks> CURRENT = new ThreadLocal<>();

	private final List<LockFrame> frames;

	private HeldLocks(List<LockFrame> frames) {
		this.frames = frames;
	}

	/**
	 * Returns the locks that this thread holds.
	 * @return the locks, or {@code null} if it holds none
	 */
	static @Nullable HeldLocks ofThread() {
		return CURRENT.get();
	}

	/**
	 * Sets the locks that this thread holds.
	 * @return the locks that it held before
	 */
	static @Nullable HeldLocks swap(@Nullable HeldLocks held) {
		HeldLocks before = CURRENT.get();
		if (held != null) {
			CURRENT.set(held);
		}
		else {
			CURRENT.remove();
		}
		return before;
	}

	/**
	 * Adds the locks of a call to those that this thread holds.
	 */
	static HeldLocks push(LockFrame frame) {
		HeldLocks held = CURRENT.get();
		if (held == null) {
			held = new HeldLocks(new ArrayList<>(2));
			CURRENT.set(held);
		}
		held.add(frame);
		return held;
	}

	/**
	 * Removes the locks of a call, on any thread.
	 */
	void remove(LockFrame frame) {
		boolean empty;
		synchronized (this.frames) {
			this.frames.remove(frame);
			empty = this.frames.isEmpty();
		}
		if (empty && CURRENT.get() == this) {
			CURRENT.remove();
		}
	}

	/**
	 * Joins two sets of held locks.
	 */
	static @Nullable HeldLocks both(@Nullable HeldLocks one, @Nullable HeldLocks other) {
		if (one == null || other == null) {
			return (one != null) ? one : other;
		}
		HeldLocks both = one.copy();
		both.frames.addAll(other.copy().frames);
		return both;
	}

	/**
	 * Returns the locks that a subscription holds: its own, and those under which it was
	 * subscribed to.
	 */
	static HeldLocks with(@Nullable HeldLocks outer, LockFrame frame) {
		HeldLocks held = (outer != null) ? outer.copy() : new HeldLocks(new ArrayList<>());
		held.frames.add(frame);
		return held;
	}

	/**
	 * Returns these locks for another thread, which may take and release more.
	 */
	HeldLocks copy() {
		synchronized (this.frames) {
			return new HeldLocks(new ArrayList<>(this.frames));
		}
	}

	void add(LockFrame frame) {
		synchronized (this.frames) {
			this.frames.add(frame);
		}
	}

	@Nullable LockFrame innermost() {
		synchronized (this.frames) {
			return this.frames.isEmpty() ? null : this.frames.get(this.frames.size() - 1);
		}
	}

	@Nullable LockHold find(LockKey key) {
		synchronized (this.frames) {
			for (int i = this.frames.size() - 1; i >= 0; i--) {
				LockHold hold = this.frames.get(i).find(key);
				if (hold != null) {
					return hold;
				}
			}
			return null;
		}
	}

}
