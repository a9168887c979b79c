package io.redelay.lock;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What the code that runs under a lock may want to know of it. A publisher finds it in
 * its subscriber's context, by its class.
 *
 * @since 0.1.0
 */
public final class LockContext {

	private final LockFrame frame;

	LockContext(LockFrame frame) {
		this.frame = frame;
	}

	/**
	 * The lock that was taken last by what runs on this thread.
	 * @return the lock, or {@code null} if there is none
	 */
	public static @Nullable LockContext current() {
		HeldLocks held = HeldLocks.ofThread();
		LockFrame frame = (held != null) ? held.innermost() : null;
		return (frame != null) ? new LockContext(frame) : null;
	}

	/**
	 * The fencing token of the lock that was taken last by what runs on this thread.
	 * @return a number that is higher than those of all former holders
	 * @throws IllegalStateException if there is no such lock, or if it has no token
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
	 * What is locked.
	 * @return the names
	 */
	public List<String> names() {
		return this.frame.spec().names();
	}

	/**
	 * The fencing token; if there are several names, that of the first.
	 * @return the token, or {@code null} if this kind of lock has none
	 */
	public @Nullable Long token() {
		return this.frame.token();
	}

}
