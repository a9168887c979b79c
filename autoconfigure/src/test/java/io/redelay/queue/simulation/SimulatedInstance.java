package io.redelay.queue.simulation;

import java.time.Duration;
import java.util.Random;

import io.redelay.scheduling.ScheduledTask;
import io.redelay.scheduling.Scheduler;
import io.redelay.scheduling.SimulatedWaits;
import io.redelay.test.VirtualTime;

/**
 * The clock, the timer and the threads of one instance. An instance that is killed runs
 * nothing any more; one that stands still, as in a long garbage collection, runs what was
 * due meanwhile when it goes on.
 */
final class SimulatedInstance implements Scheduler {

	private final String name;

	private final VirtualTime time;

	private boolean killed;

	private long standsStillUntil;

	SimulatedInstance(String name, VirtualTime time) {
		this.name = name;
		this.time = time;
		this.standsStillUntil = time.nanoTime();
	}

	String name() {
		return this.name;
	}

	boolean isKilled() {
		return this.killed;
	}

	void kill() {
		this.killed = true;
	}

	void standStill(Duration duration) {
		this.standsStillUntil = this.time.nanoTime() + duration.toNanos();
	}

	@Override
	public long nanoTime() {
		return this.time.nanoTime();
	}

	@Override
	public ScheduledTask schedule(Runnable task, long delayNanos) {
		Task entry = new Task(task);
		entry.runAfter(delayNanos);
		return entry;
	}

	@Override
	public boolean execute(Runnable task) {
		this.time.execute(new Task(task));
		return true;
	}

	/**
	 * Runs a task that may wait for answers. Other tasks run meanwhile.
	 */
	boolean executeWaiting(Runnable task) {
		return execute(() -> SimulatedWaits.run(task, this.time, this::isKilled));
	}

	/**
	 * Returns the same clock, timer and threads, for tasks that may wait for answers.
	 */
	Scheduler waiting() {
		return new Scheduler() {

			@Override
			public long nanoTime() {
				return SimulatedInstance.this.nanoTime();
			}

			@Override
			public ScheduledTask schedule(Runnable task, long delayNanos) {
				return SimulatedInstance.this.schedule(task, delayNanos);
			}

			@Override
			public boolean execute(Runnable task) {
				return executeWaiting(task);
			}

		};
	}

	/**
	 * Chooses a delay in milliseconds.
	 */
	static Duration millis(Random random, int least, int most) {
		return Duration.ofNanos(Duration.ofMillis(least).toNanos()
				+ (long) (random.nextDouble() * Duration.ofMillis(most - least).toNanos()));
	}

	@Override
	public String toString() {
		return this.name;
	}

	/**
	 * What runs unless it is cancelled or the instance is killed.
	 */
	private final class Task implements ScheduledTask, Runnable {

		private final Runnable task;

		private boolean cancelled;

		private ScheduledTask timer;

		Task(Runnable task) {
			this.task = task;
		}

		void runAfter(long delayNanos) {
			this.timer = SimulatedInstance.this.time.schedule(this, delayNanos);
		}

		@Override
		public void run() {
			if (this.cancelled || SimulatedInstance.this.killed) {
				return;
			}
			long rest = SimulatedInstance.this.standsStillUntil - nanoTime();
			if (rest > 0) {
				runAfter(rest);
				return;
			}
			this.task.run();
		}

		@Override
		public void cancel() {
			this.cancelled = true;
			if (this.timer != null) {
				this.timer.cancel();
			}
		}

	}

}
