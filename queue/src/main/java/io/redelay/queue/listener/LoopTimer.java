package io.redelay.queue.listener;

import java.time.Duration;

import io.redelay.scheduling.Alarm;
import io.redelay.scheduling.Scheduler;

/**
 * Runs the next action of a loop if no event comes before: to look for messages, or to
 * try again after a failure. A later action replaces an earlier one.
 * <p>
 * Safe for use by many threads.
 */
final class LoopTimer {

	private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

	private final Alarm alarm;

	private final ClaimRefusals refusals;

	private final Runnable closing;

	/**
	 * Creates a timer on which no action is set.
	 * @param closing run when an action cannot be set because the application is closing
	 */
	LoopTimer(Scheduler scheduler, ClaimRefusals refusals, Runnable closing) {
		this.alarm = new Alarm(scheduler);
		this.refusals = refusals;
		this.closing = closing;
	}

	void set(Runnable action, Duration delay) {
		if (!this.alarm.set(action, delay)) {
			this.closing.run();
		}
	}

	/**
	 * Runs an action a second from now.
	 */
	void setPause(Runnable action) {
		set(action, PAUSE_AFTER_FAILURE);
	}

	/**
	 * Logs a failure and runs an action a second from now.
	 */
	void setPause(Throwable failure, Runnable action) {
		this.refusals.tell(failure);
		setPause(action);
	}

	void cancel() {
		this.alarm.cancel();
	}

	void close() {
		this.alarm.close();
	}

}
