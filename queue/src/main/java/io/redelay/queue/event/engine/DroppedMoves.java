package io.redelay.queue.event.engine;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.redelay.log.PlainLog;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;

/**
 * Logs that events were dropped, once a minute at most.
 * <p>
 * Safe for use by many threads.
 */
final class DroppedMoves {

	private static final Log logger = PlainLog.of(DroppedMoves.class);

	private static final long PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

	private final String what;

	private final Scheduler clock;

	private final AtomicLong last;

	DroppedMoves(String what, Scheduler clock) {
		this.what = what;
		this.clock = clock;
		this.last = new AtomicLong(clock.nanoTime() - PAUSE_NANOS);
	}

	void log(long dropped) {
		long before = this.last.get();
		long now = this.clock.nanoTime();
		if (now - before >= PAUSE_NANOS && this.last.compareAndSet(before, now)) {
			logger.warn(dropped + " event(s) of messages were dropped since the start: " + this.what);
		}
	}

}
