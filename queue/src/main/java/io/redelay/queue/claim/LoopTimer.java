package io.redelay.queue.claim;

import java.time.Duration;

import io.redelay.log.PlainLog;
import io.redelay.queue.failure.FailureText;
import io.redelay.queue.request.StoreException;
import io.redelay.scheduling.Alarm;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;

/**
 * Runs the next action of a loop if no event comes before: to look for messages, or to
 * try again after a failure. A later action replaces an earlier one.
 * <p>
 * Safe for use by many threads.
 */
final class LoopTimer {

	private static final Log logger = PlainLog.of(LoopTimer.class);

	private static final Duration REMINDER = Duration.ofMinutes(1);

	private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

	private final Alarm alarm;

	private final Scheduler clock;

	private final String listener;

	private final String queue;

	private final Runnable closing;

	private long warnedNanos;

	/**
	 * Creates a timer on which no action is set.
	 * @param listener the id of the listener that claims
	 * @param queue the queue that it claims from
	 * @param closing run when an action cannot be set because the application is closing
	 */
	LoopTimer(Scheduler scheduler, String listener, String queue, Runnable closing) {
		this.alarm = new Alarm(scheduler);
		this.clock = scheduler;
		this.listener = listener;
		this.queue = queue;
		this.closing = closing;
		this.warnedNanos = scheduler.nanoTime() - REMINDER.toNanos();
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
		logRefusal(failure);
		setPause(action);
	}

	/**
	 * Logs that the loop cannot claim, in one line a minute: it tries again each second,
	 * with the same failure each time. A Redis that is away is logged once for all
	 * listeners, see {@link io.redelay.queue.wire.RedisAvailability}.
	 */
	private synchronized void logRefusal(Throwable failure) {
		String what = "The listener '" + this.listener + "' cannot claim from the queue '" + this.queue
				+ "' and tries again every second";
		long now = this.clock.nanoTime();
		if (StoreException.isAway(failure) || now - this.warnedNanos < REMINDER.toNanos()) {
			logger.debug(what, failure);
			return;
		}
		this.warnedNanos = now;
		FailureText.warnInOneLine(logger, what, failure);
	}

	void cancel() {
		this.alarm.cancel();
	}

	void close() {
		this.alarm.close();
	}

}
