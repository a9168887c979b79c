package io.redelay.queue.event.engine;

import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.redelay.queue.admin.TroubleEvent;
import io.redelay.scheduling.Scheduler;

/**
 * The report of an event to the listeners of this instance.
 * <p>
 * Safe for use by many threads.
 */
final class TroubleReport {

	private final KnownTrouble trouble;

	private final List<TroubleCall> calls;

	private final BooleanSupplier mayCall;

	private final Runnable ended;

	/**
	 * How many calls have not ended.
	 */
	private final AtomicInteger open;

	private volatile boolean refused;

	private volatile boolean revoked;

	private volatile boolean late;

	/**
	 * Creates a report.
	 * @param trouble the event
	 * @param event the same for listeners
	 * @param listeners whom to call
	 * @param clock the clock
	 * @param mayCall whether this instance has the turn: else another one may report the
	 * event as well
	 * @param ended called when the last listener has returned
	 */
	TroubleReport(KnownTrouble trouble, TroubleEvent event, List<?> listeners, Scheduler clock, BooleanSupplier mayCall,
			Runnable ended) {
		this.trouble = trouble;
		this.open = new AtomicInteger(listeners.size());
		this.mayCall = mayCall;
		this.ended = ended;
		this.calls = listeners.stream().map((listener) -> new TroubleCall(event, this, listener, clock)).toList();
	}

	KnownTrouble trouble() {
		return this.trouble;
	}

	/**
	 * Returns the calls, in the order of the listeners.
	 */
	List<TroubleCall> calls() {
		return this.calls;
	}

	boolean mayCall() {
		if (this.late || (!this.revoked && this.mayCall.getAsBoolean())) {
			return true;
		}
		this.refused = true;
		return false;
	}

	/**
	 * Called when the turn was lost: another instance may report the event, so calls that
	 * wait are not made when this one has the turn again, unless the event counts as
	 * reported.
	 */
	void revoke() {
		this.revoked = true;
	}

	void callHasEnded() {
		if (this.open.decrementAndGet() == 0) {
			this.ended.run();
		}
	}

	/**
	 * Whether a listener was not called, so that the event has to be reported again.
	 */
	boolean isRefused() {
		return this.refused;
	}

	/**
	 * Returns whether there is nothing to wait for: each listener has returned, or is
	 * stuck in a call. From then on the event counts as reported: no other instance
	 * repeats it, and calls that wait are made in any case.
	 * @param stuck the listeners that do not return from a call
	 */
	boolean isOver(Set<?> stuck) {
		this.late = this.late
				|| this.calls.stream().allMatch((call) -> call.hasEnded() || stuck.contains(call.listener()));
		return this.late;
	}

}
