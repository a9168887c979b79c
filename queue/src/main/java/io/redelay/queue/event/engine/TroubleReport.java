package io.redelay.queue.event.engine;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * The report of an event to the listeners of this instance.
 * <p>
 * Safe for use by many threads.
 */
final class TroubleReport {

	private final KnownTrouble trouble;

	private final long begunNanos;

	private final BooleanSupplier mayCall;

	private final Runnable ended;

	/**
	 * How many listeners have not returned.
	 */
	private final AtomicInteger open;

	private volatile boolean refused;

	private volatile boolean late;

	/**
	 * Creates a report.
	 * @param trouble the event
	 * @param listeners how many listeners are called
	 * @param begunNanos when it begins
	 * @param mayCall whether this instance has the turn: else another one may report the
	 * event as well
	 * @param ended called when the last listener has returned
	 */
	TroubleReport(KnownTrouble trouble, int listeners, long begunNanos, BooleanSupplier mayCall, Runnable ended) {
		this.trouble = trouble;
		this.open = new AtomicInteger(listeners);
		this.begunNanos = begunNanos;
		this.mayCall = mayCall;
		this.ended = ended;
	}

	KnownTrouble trouble() {
		return this.trouble;
	}

	/**
	 * Called before a listener is.
	 * @return whether it is to be called
	 */
	boolean begin() {
		if (this.late || this.mayCall.getAsBoolean()) {
			return true;
		}
		this.refused = true;
		end();
		return false;
	}

	/**
	 * Called after a listener has returned.
	 */
	void end() {
		if (this.open.decrementAndGet() == 0) {
			this.ended.run();
		}
	}

	boolean hasEnded() {
		return this.open.get() <= 0;
	}

	/**
	 * Whether a listener was not called, so that the event has to be reported again.
	 */
	boolean isRefused() {
		return this.refused;
	}

	/**
	 * Returns whether listeners take too long. From then on the event counts as reported:
	 * no other instance repeats it, and those that wait are called in any case.
	 */
	boolean isLate(long nanos, long limitNanos) {
		this.late = this.late || nanos - this.begunNanos >= limitNanos;
		return this.late;
	}

}
