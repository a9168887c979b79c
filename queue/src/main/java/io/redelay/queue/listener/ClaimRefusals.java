package io.redelay.queue.listener;

import java.time.Duration;

import io.redelay.queue.listener.failure.FailureText;
import io.redelay.queue.store.StoreException;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Logs that a loop cannot claim, in one line a minute: the loop tries again each second,
 * with the same failure each time. A Redis that is away is logged once for all listeners,
 * see {@link io.redelay.queue.store.redis.RedisAvailability}.
 */
final class ClaimRefusals {

	private static final Log logger = LogFactory.getLog(ClaimRefusals.class);

	private static final Duration REMINDER = Duration.ofMinutes(1);

	private final String listener;

	private final String queue;

	private final long reminderNanos;

	private final Scheduler clock;

	private long toldNanos;

	private boolean told;

	ClaimRefusals(String listener, String queue, Scheduler clock) {
		this(listener, queue, REMINDER, clock);
	}

	ClaimRefusals(String listener, String queue, Duration reminder, Scheduler clock) {
		this.listener = listener;
		this.queue = queue;
		this.reminderNanos = reminder.toNanos();
		this.clock = clock;
	}

	synchronized void tell(Throwable failure) {
		String what = "The listener '" + this.listener + "' cannot claim from the queue '" + this.queue
				+ "' and tries again every second";
		long now = this.clock.nanoTime();
		if (StoreException.isAway(failure) || (this.told && now - this.toldNanos < this.reminderNanos)) {
			logger.debug(what, failure);
			return;
		}
		this.told = true;
		this.toldNanos = now;
		FailureText.warnInOneLine(logger, what, failure);
	}

}
