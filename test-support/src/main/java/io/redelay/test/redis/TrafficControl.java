package io.redelay.test.redis;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Decides when waiting data may be forwarded: at once, after a delay, or not before it is
 * released.
 */
final class TrafficControl {

	private static final long POLL_INTERVAL = TimeUnit.MILLISECONDS.toNanos(20);

	private static final long FOREVER = TimeUnit.DAYS.toNanos(365);

	private long heldUntil = System.nanoTime();

	private long delay;

	synchronized void hold() {
		hold(FOREVER);
	}

	synchronized void hold(Duration duration) {
		notNegative("duration", duration);
		hold(duration.toNanos());
	}

	private void hold(long nanos) {
		this.heldUntil = System.nanoTime() + nanos;
		notifyAll();
	}

	synchronized void release() {
		hold(0);
	}

	synchronized void delay(Duration delay) {
		notNegative("delay", delay);
		this.delay = delay.toNanos();
		notifyAll();
	}

	/**
	 * Waits until the data that arrived now may be forwarded.
	 * @param closed whether the connection is closed
	 * @throws IOException if the connection is closed meanwhile
	 */
	synchronized void awaitTurn(BooleanSupplier closed) throws IOException {
		long arrival = System.nanoTime();
		while (!closed.getAsBoolean()) {
			long now = System.nanoTime();
			long remaining = Math.max(this.heldUntil - now, arrival + this.delay - now);
			if (remaining <= 0) {
				return;
			}
			pause(Math.min(remaining, POLL_INTERVAL));
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
