package io.redelay.queue.request;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many bytes may wait for the answer of Redis, in all batchers that share the budget.
 * <p>
 * Safe for use by many threads.
 */
final class ByteBudget {

	private final long limit;

	private final AtomicLong taken = new AtomicLong();

	/**
	 * Creates a budget of which nothing is taken.
	 * @param limit how many bytes may be taken
	 */
	ByteBudget(long limit) {
		this.limit = limit;
	}

	/**
	 * Takes bytes if there are so many left. A single submission always gets its bytes,
	 * as it would otherwise never be sent.
	 * @return whether they were taken
	 */
	boolean take(long bytes) {
		long before;
		do {
			before = this.taken.get();
			if (before > 0 && bytes > this.limit - before) {
				return false;
			}
		}
		while (!this.taken.compareAndSet(before, before + bytes));
		return true;
	}

	/**
	 * Gives bytes back.
	 */
	void giveBack(long bytes) {
		this.taken.addAndGet(-bytes);
	}

	long limit() {
		return this.limit;
	}

	long taken() {
		return this.taken.get();
	}

}
