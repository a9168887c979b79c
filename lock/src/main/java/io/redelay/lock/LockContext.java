package io.redelay.lock;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The lock under which code runs: its names and its fencing token. A publisher finds it
 * in the context of its subscriber, under this class as the key.
 *
 * @since 0.1.0
 */
public final class LockContext {

	private final LockFrame frame;

	LockContext(LockFrame frame) {
		this.frame = frame;
	}

	/**
	 * Returns the lock that this thread took last and still holds.
	 * @return the lock, or {@code null} if the thread holds none
	 */
	public static @Nullable LockContext current() {
		HeldLocks held = HeldLocks.ofThread();
		LockFrame frame = (held != null) ? held.innermost() : null;
		return (frame != null) ? new LockContext(frame) : null;
	}

	/**
	 * Returns the fencing token of the lock that this thread took last and still holds.
	 * @return a number that is higher than those of all former holders
	 * @throws IllegalStateException if the thread holds no lock, or the lock has no token
	 */
	public static long currentToken() {
		LockContext current = current();
		Long token = (current != null) ? current.token() : null;
		if (token == null) {
			throw new IllegalStateException((current != null)
					? "The lock " + current.names() + " has no fencing token; use the provider 'fencedLockProvider'"
					: "No lock was taken on this thread");
		}
		return token;
	}

	/**
	 * Returns the names of the lock.
	 * @return the names
	 */
	public List<String> names() {
		return this.frame.spec().names();
	}

	/**
	 * Returns the fencing token; of several names, that of the first.
	 * @return the token, or {@code null} if this kind of lock has none
	 */
	public @Nullable Long token() {
		return this.frame.token();
	}

}
