package io.redelay.queue.inlet;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.redelay.log.PlainLog;
import io.redelay.queue.inlet.InletConverter.Converted;
import io.redelay.queue.listener.InletListener;
import io.redelay.queue.script.TakenEntry;
import io.redelay.scheduling.Scheduler;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Logs what becomes of the entries of one inlet, at a limited rate, and calls the
 * listeners.
 * <p>
 * For one call at a time.
 */
final class InletReporter {

	private static final Log logger = PlainLog.of(InletReporter.class);

	/**
	 * The shortest time between two log lines about refused entries.
	 */
	private static final Duration REFUSALS_PAUSE = Duration.ofSeconds(10);

	/**
	 * After how long it is logged again that nothing is taken over for the same reason.
	 */
	private static final Duration OBSTACLE_PAUSE = Duration.ofMinutes(10);

	private final String queue;

	private final String key;

	private final Scheduler clock;

	private final List<InletListener> listeners;

	private long refused;

	private @Nullable Long refusalsNanos;

	private @Nullable String obstacle;

	private long obstacleNanos;

	InletReporter(String queue, String key, Scheduler clock, List<InletListener> listeners) {
		this.queue = queue;
		this.key = key;
		this.clock = clock;
		this.listeners = listeners;
	}

	/**
	 * Entries were taken.
	 */
	void taken(List<Converted> entries) {
		this.obstacle = null;
		int sent = 0;
		Converted last = null;
		for (Converted entry : entries) {
			TakenEntry.Dead dead = entry.taken().dead();
			String reason = entry.reason();
			if (dead == null || reason == null) {
				sent++;
				continue;
			}
			last = entry;
			this.refused++;
			call((listener) -> listener.onRefused(this.queue, dead.uid(), reason));
		}
		int count = sent;
		if (count > 0) {
			call((listener) -> listener.onTaken(this.queue, count));
		}
		if (last != null) {
			logRefused(last);
		}
	}

	private void logRefused(Converted last) {
		long now = this.clock.nanoTime();
		if (this.refusalsNanos != null && now - this.refusalsNanos < REFUSALS_PAUSE.toNanos()) {
			return;
		}
		this.refusalsNanos = now;
		logger.warn(this.refused + ((this.refused == 1) ? " entry" : " entries") + " of the inlet '" + this.key
				+ "' could not be sent since the last such line: dead messages of the queue '" + this.queue
				+ "' with the reason REFUSED. Of the last one, " + last.reason());
		this.refused = 0;
	}

	/**
	 * Nothing is taken over at present.
	 * @param why the reason and what to do
	 */
	void stopped(String why) {
		long now = this.clock.nanoTime();
		if (why.equals(this.obstacle) && now - this.obstacleNanos < OBSTACLE_PAUSE.toNanos()) {
			return;
		}
		this.obstacle = why;
		this.obstacleNanos = now;
		logger.warn("Nothing is taken over from the inlet '" + this.key + "' of the queue '" + this.queue
				+ "', which is tried again: " + why);
	}

	private void call(Consumer<InletListener> call) {
		for (InletListener listener : this.listeners) {
			try {
				call.accept(listener);
			}
			catch (Throwable ex) {
				logger.warn("An InletListener of the type " + listener.getClass().getName()
						+ " failed, which changes nothing for the inlet of the queue '" + this.queue + "'", ex);
			}
		}
	}

}
