package io.redelay.queue.event.engine;

import io.redelay.queue.admin.TroubleEvent;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * The call of a listener with an event.
 * <p>
 * Safe for use by many threads.
 */
final class TroubleCall {

	private final TroubleEvent event;

	private final TroubleReport report;

	private final Object listener;

	private final Scheduler clock;

	private volatile @Nullable Long begunNanos;

	private volatile boolean ended;

	/**
	 * Creates a call that has not begun.
	 * @param event the event
	 * @param report the report whose part it is
	 * @param listener the listener, with its name as text
	 * @param clock the clock
	 */
	TroubleCall(TroubleEvent event, TroubleReport report, Object listener, Scheduler clock) {
		this.event = event;
		this.report = report;
		this.listener = listener;
		this.clock = clock;
	}

	TroubleEvent event() {
		return this.event;
	}

	Object listener() {
		return this.listener;
	}

	/**
	 * Called before the listener is.
	 * @return whether it is to be called
	 */
	boolean begin() {
		if (!this.report.mayCall()) {
			end();
			return false;
		}
		this.begunNanos = this.clock.nanoTime();
		return true;
	}

	/**
	 * Called after the listener has returned, or if it is never called.
	 */
	void end() {
		this.ended = true;
		this.report.callHasEnded();
	}

	boolean hasEnded() {
		return this.ended;
	}

	/**
	 * Returns whether the listener was called so long ago and has not returned. A call
	 * that waits behind others is not late.
	 */
	boolean isLate(long nanos, long limitNanos) {
		Long begun = this.begunNanos;
		return !this.ended && begun != null && nanos - begun >= limitNanos;
	}

}
