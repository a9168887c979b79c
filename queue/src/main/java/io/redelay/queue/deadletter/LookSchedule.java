package io.redelay.queue.deadletter;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.scheduling.ScheduledTask;
import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * When to look at the dead messages of a queue: at an alarm that each look sets for the
 * next one, or at once when a look is asked for. There is one look at a time; after the
 * last one a farewell is carried out.
 * <p>
 * Safe for use by many threads.
 */
final class LookSchedule {

	private final Scheduler scheduler;

	private final Runnable look;

	private final Supplier<CompletableFuture<?>> farewell;

	private final CompletableFuture<Void> ended = new CompletableFuture<>();

	private boolean looking;

	private boolean again;

	private boolean stopped;

	private long alarmNanos;

	private @Nullable ScheduledTask alarm;

	/**
	 * Creates a schedule without an alarm.
	 * @param scheduler the timer
	 * @param look begins to look, must not throw, and has {@link #looked} or
	 * {@link #failed} called at its end
	 * @param farewell what is to be done after the last look
	 */
	LookSchedule(Scheduler scheduler, Runnable look, Supplier<CompletableFuture<?>> farewell) {
		this.scheduler = scheduler;
		this.look = look;
		this.farewell = farewell;
	}

	/**
	 * Looks now; if a look is under way, again when it has ended.
	 */
	void lookNow() {
		synchronized (this) {
			this.again = this.looking;
			if (this.looking || this.stopped) {
				return;
			}
			this.looking = true;
			cancelAlarm();
		}
		this.look.run();
	}

	synchronized void lookIn(Duration pause) {
		cancelAlarm();
		this.alarmNanos = this.scheduler.nanoTime() + pause.toNanos();
		this.alarm = this.scheduler.schedule(this::lookNow, pause);
	}

	/**
	 * Has the next look take place in a time, unless its alarm is earlier or it is under
	 * way.
	 */
	synchronized void lookWithin(Duration pause) {
		if (this.alarm != null && this.alarmNanos - this.scheduler.nanoTime() > pause.toNanos()) {
			lookIn(pause);
		}
	}

	/**
	 * Ends a look that failed: it is not done again before a time has passed.
	 */
	void failed(Duration pause) {
		synchronized (this) {
			this.again = false;
		}
		looked(pause);
	}

	/**
	 * Ends a look.
	 * @param pause when to look again, unless a look was asked for meanwhile
	 */
	void looked(Duration pause) {
		boolean lookAgain;
		boolean last;
		synchronized (this) {
			this.looking = false;
			last = this.stopped;
			lookAgain = this.again && !last;
			this.again = false;
			if (!lookAgain && !last) {
				lookIn(pause);
			}
		}
		if (last) {
			end();
		}
		else if (lookAgain) {
			lookNow();
		}
	}

	/**
	 * Looks no more; a look that is under way ends first.
	 * @return a future that completes after the farewell
	 */
	CompletableFuture<Void> stop() {
		boolean idle;
		synchronized (this) {
			this.stopped = true;
			cancelAlarm();
			idle = !this.looking;
		}
		if (idle) {
			end();
		}
		return this.ended;
	}

	synchronized boolean isStopped() {
		return this.stopped;
	}

	private void end() {
		this.farewell.get().whenComplete((done, failure) -> this.ended.complete(null));
	}

	private void cancelAlarm() {
		if (this.alarm != null) {
			this.alarm.cancel();
			this.alarm = null;
		}
	}

}
