package io.redelay.embedded.redis;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A moment by which something must have come true.
 */
final class Deadline {

	private static final Duration PAUSE = Duration.ofMillis(5);

	private final Duration timeout;

	private final long end;

	Deadline(Duration timeout) {
		this.timeout = timeout;
		this.end = System.nanoTime() + timeout.toNanos();
	}

	Duration timeout() {
		return this.timeout;
	}

	/**
	 * Waits for the condition.
	 * @return whether it came true in time
	 */
	boolean await(Condition condition) {
		while (!condition.isTrue()) {
			if (isOver()) {
				return false;
			}
			pause();
		}
		return true;
	}

	boolean isOver() {
		return System.nanoTime() - this.end >= 0 || Thread.currentThread().isInterrupted();
	}

	void pause() {
		LockSupport.parkNanos(PAUSE.toNanos());
	}

	/**
	 * A condition that is checked every few milliseconds.
	 */
	@FunctionalInterface
	interface Condition {

		boolean isTrue();

	}

}
