package io.redelay.benchmarks.peers.contender;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Counts what handlers see, each message once.
 */
final class Tally {

	private final int warmUp;

	private final AtomicLongArray handledAt;

	private final AtomicLongArray late;

	private final AtomicInteger seen = new AtomicInteger();

	private final AtomicInteger repeated = new AtomicInteger();

	private final CountDownLatch finished;

	private volatile long begin;

	private volatile long end;

	Tally(int count, int warmUp) {
		this.warmUp = warmUp;
		this.handledAt = new AtomicLongArray(count);
		this.late = new AtomicLongArray(count);
		this.finished = new CountDownLatch((count > 0) ? 1 : 0);
		this.begin = Moment.micros();
		this.end = this.begin;
	}

	void handled(Order order) {
		long now = Moment.micros();
		if (order.number() >= this.handledAt.length() || !this.handledAt.compareAndSet(order.number(), 0, now)) {
			this.repeated.incrementAndGet();
			return;
		}
		int position = this.seen.incrementAndGet();
		this.late.set(position - 1, now - order.at());
		if (position == this.warmUp) {
			this.begin = now;
		}
		if (position == this.handledAt.length()) {
			this.end = now;
			this.finished.countDown();
		}
	}

	Handled await(Duration limit) {
		boolean all;
		try {
			all = this.finished.await(limit.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("Interrupted while waiting for messages", ex);
		}
		int messages = this.seen.get();
		long last = all ? this.end : Moment.micros();
		long[] measured = new long[Math.max(0, messages - this.warmUp)];
		Arrays.setAll(measured, (index) -> this.late.get(this.warmUp + index));
		Arrays.sort(measured);
		return new Handled(messages, this.repeated.get(), (last - this.begin) / 1e6, measured.length, measured);
	}

}
