package io.redelay.queue.measure;

import java.util.concurrent.TimeUnit;

/**
 * Counts what happens to a queue until the counts are taken.
 * <p>
 * Safe for use by many threads.
 */
final class RunningCounts {

	private long sent;

	private long handled;

	private long failed;

	private long dead;

	private long returned;

	private long waits;

	private long waitMillis;

	private long maxWaitMillis;

	private long handlings;

	private long handlingNanos;

	private long maxHandlingNanos;

	private boolean closed;

	/**
	 * Counts messages that were sent.
	 * @return whether they were counted: not if the counts are closed
	 */
	synchronized boolean sent(int messages) {
		this.sent += messages;
		return !this.closed;
	}

	/**
	 * Counts messages that were settled.
	 * @return whether they were counted: not if the counts are closed
	 */
	synchronized boolean settled(Settled settled) {
		this.handled += settled.acknowledged();
		this.dead += settled.dead();
		this.returned += settled.returned();
		return !this.closed;
	}

	/**
	 * Counts an attempt that failed.
	 * @return whether it was counted: not if the counts are closed
	 */
	synchronized boolean failed() {
		this.failed++;
		return !this.closed;
	}

	/**
	 * Counts the time of a handling.
	 * @return whether it was counted: not if the counts are closed
	 */
	synchronized boolean handled(Handling handling) {
		if (handling.hasWait()) {
			this.waits++;
			this.waitMillis += handling.waitMillis();
			this.maxWaitMillis = Math.max(this.maxWaitMillis, handling.waitMillis());
		}
		this.handlings++;
		this.handlingNanos += handling.handlingNanos();
		this.maxHandlingNanos = Math.max(this.maxHandlingNanos, handling.handlingNanos());
		return !this.closed;
	}

	/**
	 * Returns the counts since the last call.
	 */
	synchronized QueueCounts take() {
		QueueCounts taken = new QueueCounts(this.sent, this.handled, this.failed, this.dead, this.returned, this.waits,
				this.waitMillis, this.maxWaitMillis, this.handlings, TimeUnit.NANOSECONDS.toMicros(this.handlingNanos),
				TimeUnit.NANOSECONDS.toMicros(this.maxHandlingNanos));
		this.sent = 0;
		this.handled = 0;
		this.failed = 0;
		this.dead = 0;
		this.returned = 0;
		this.waits = 0;
		this.waitMillis = 0;
		this.maxWaitMillis = 0;
		this.handlings = 0;
		this.handlingNanos = 0;
		this.maxHandlingNanos = 0;
		return taken;
	}

	/**
	 * Closes the counts.
	 * @return the counts since the last call of {@link #take()}
	 */
	synchronized QueueCounts close() {
		this.closed = true;
		return take();
	}

}
