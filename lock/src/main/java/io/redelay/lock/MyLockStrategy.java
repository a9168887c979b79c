package io.redelay.lock;

/**
 * What to do while another holds a lock.
 *
 * @since 0.1.0
 */
public enum MyLockStrategy {

	/**
	 * Do not wait; skip the method.
	 */
	SKIP_FAST(false, true),

	/**
	 * Do not wait; throw a {@link LockNotAcquiredException}.
	 */
	FAIL_FAST(false, false),

	/**
	 * Wait until the lock is acquired; the wait time is ignored.
	 */
	KEEP_TRYING(true, false),

	/**
	 * Wait for the wait time; then skip the method.
	 */
	SKIP_AFTER_RETRY_TIMEOUT(true, true),

	/**
	 * Wait for the wait time; then throw a {@link LockNotAcquiredException}.
	 */
	FAIL_AFTER_RETRY_TIMEOUT(true, false);

	private final boolean waiting;

	private final boolean skipping;

	MyLockStrategy(boolean waiting, boolean skipping) {
		this.waiting = waiting;
		this.skipping = skipping;
	}

	boolean isWaiting() {
		return this.waiting;
	}

	public boolean isSkipping() {
		return this.skipping;
	}

}
