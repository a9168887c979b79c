package io.redelay.embedded.redis;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

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
	 * Waits for a condition, which is checked every few milliseconds.
	 * @return whether it came true in time
	 */
	boolean await(BooleanSupplier condition) {
		while (!condition.getAsBoolean()) {
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

}
