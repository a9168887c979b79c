package io.redelay.queue.measure;

import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

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
	 * Counts something.
	 * @param counting calls the methods that count
	 * @return whether it was counted: not if the counts are taken
	 */
	synchronized boolean add(Consumer<RunningCounts> counting) {
		if (!this.closed) {
			counting.accept(this);
		}
		return !this.closed;
	}

	void sent(int messages) {
		this.sent += messages;
	}

	void settled(Settled settled) {
		this.handled += settled.acknowledged();
		this.dead += settled.dead();
		this.returned += settled.returned();
	}

	void failed() {
		this.failed++;
	}

	void handled(Handling handling) {
		if (handling.hasWait()) {
			this.waits++;
			this.waitMillis += handling.waitMillis();
			this.maxWaitMillis = Math.max(this.maxWaitMillis, handling.waitMillis());
		}
		this.handlings++;
		this.handlingNanos += handling.handlingNanos();
		this.maxHandlingNanos = Math.max(this.maxHandlingNanos, handling.handlingNanos());
	}

	/**
	 * Takes the counts, to which no more are added.
	 */
	synchronized QueueCounts close() {
		this.closed = true;
		return new QueueCounts(this.sent, this.handled, this.failed, this.dead, this.returned,
				new QueueCounts.Times(this.waits, this.waitMillis, this.maxWaitMillis),
				new QueueCounts.Times(this.handlings, TimeUnit.NANOSECONDS.toMicros(this.handlingNanos),
						TimeUnit.NANOSECONDS.toMicros(this.maxHandlingNanos)));
	}

}
