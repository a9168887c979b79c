package io.redelay.embedded.redis;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * What passes through it can be held back or delayed.
 */
final class Gate {

	private static final long LOOK_AGAIN = TimeUnit.MILLISECONDS.toNanos(20);

	private static final long FOREVER = TimeUnit.DAYS.toNanos(365);

	private long shutUntil = System.nanoTime();

	private long delay;

	synchronized void shut() {
		shut(FOREVER);
	}

	synchronized void shut(Duration duration) {
		notNegative("duration", duration);
		shut(duration.toNanos());
	}

	private void shut(long nanos) {
		this.shutUntil = System.nanoTime() + nanos;
		notifyAll();
	}

	synchronized void open() {
		shut(0);
	}

	synchronized void delay(Duration delay) {
		notNegative("delay", delay);
		this.delay = delay.toNanos();
		notifyAll();
	}

	/**
	 * Returns once one may pass.
	 * @param givenUp whether nobody wants to pass any more
	 * @throws IOException if so
	 */
	synchronized void pass(BooleanSupplier givenUp) throws IOException {
		long arrival = System.nanoTime();
		while (!givenUp.getAsBoolean()) {
			long now = System.nanoTime();
			long remaining = Math.max(this.shutUntil - now, arrival + this.delay - now);
			if (remaining <= 0) {
				return;
			}
			pause(Math.min(remaining, LOOK_AGAIN));
		}
		throw new IOException("Closed while it was held back");
	}

	private static void notNegative(String name, Duration value) {
		if (value.isNegative()) {
			throw new IllegalArgumentException("'%s' must not be negative, but is %s".formatted(name, value));
		}
	}

	private void pause(long nanos) throws InterruptedIOException {
		try {
			TimeUnit.NANOSECONDS.timedWait(this, nanos);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new InterruptedIOException("Interrupted while it was held back");
		}
	}

}
