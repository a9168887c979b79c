package io.redelay.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;
import java.util.function.IntUnaryOperator;

import io.redelay.scheduling.ScheduledTask;
import io.redelay.scheduling.Scheduler;

/**
 * Time that a test moves by hand. Whatever is scheduled or executed runs on the test's
 * thread, when the test {@link #advance(Duration) moves the time} or {@link #runReady()
 * lets ready tasks run}; never inside a call of this class's {@link Scheduler} methods.
 * <p>
 * For one thread.
 */
public final class VirtualTime implements Scheduler {

	/**
	 * The clock overflows soon after the start, as the JVM's may.
	 */
	private static final long START = Long.MAX_VALUE - Duration.ofSeconds(2).toNanos();

	/**
	 * A task that makes itself ready again for ever would keep the test from ending.
	 */
	private static final int MOST_TASKS_AT_ONE_TIME = 1_000_000;

	private final IntUnaryOperator choice;

	private final List<Runnable> ready = new ArrayList<>();

	private final PriorityQueue<Timed> timed = new PriorityQueue<>();

	private long elapsed;

	private long lastNumber;

	private boolean closed;

	/**
	 * Creates a time in which tasks run in the order in which they became ready.
	 */
	public VirtualTime() {
		this((count) -> 0);
	}

	/**
	 * Creates a time in which something chooses the order of tasks.
	 * @param choice chooses one of so many tasks that are ready, by its index
	 */
	public VirtualTime(IntUnaryOperator choice) {
		this.choice = choice;
	}

	@Override
	public long nanoTime() {
		return START + this.elapsed;
	}

	/**
	 * Returns how much time has gone by.
	 */
	public Duration elapsed() {
		return Duration.ofNanos(this.elapsed);
	}

	@Override
	public ScheduledTask schedule(Runnable task, long delayNanos) {
		if (this.closed) {
			return null;
		}
		Timed entry = new Timed(task, this.elapsed + Math.max(0, Math.min(delayNanos, Long.MAX_VALUE / 2)),
				++this.lastNumber);
		this.timed.add(entry);
		return entry;
	}

	@Override
	public boolean execute(Runnable task) {
		if (!this.closed) {
			this.ready.add(task);
		}
		return !this.closed;
	}

	/**
	 * Rejects all tasks from now on, and forgets those that wait.
	 */
	public void close() {
		this.closed = true;
		this.ready.clear();
		this.timed.clear();
	}

	/**
	 * Returns how many tasks wait for their time.
	 */
	public int scheduled() {
		return (int) this.timed.stream().filter((entry) -> !entry.cancelled).count();
	}

	/**
	 * Runs what is ready, and what becomes ready by that, without moving the time.
	 */
	public void runReady() {
		for (int i = 0; i < MOST_TASKS_AT_ONE_TIME; i++) {
			makeReady();
			if (this.ready.isEmpty()) {
				return;
			}
			this.ready.remove(this.choice.applyAsInt(this.ready.size())).run();
		}
		throw new IllegalStateException("More than " + MOST_TASKS_AT_ONE_TIME + " tasks ran while no time passed");
	}

	/**
	 * Moves the time, and runs each task when its time has come.
	 * @param duration how far
	 */
	public void advance(Duration duration) {
		long end = this.elapsed + duration.toNanos();
		while (true) {
			runReady();
			Timed next = this.timed.peek();
			if (next == null || next.due > end) {
				// A task that waited may have moved it farther.
				this.elapsed = Math.max(this.elapsed, end);
				return;
			}
			this.elapsed = Math.max(this.elapsed, next.due);
		}
	}

	/**
	 * Runs other tasks, and moves the time, within a task that waits for something.
	 * @param done whether that is there
	 */
	public void waitFor(BooleanSupplier done) {
		while (!done.getAsBoolean()) {
			makeReady();
			Timed next = this.timed.peek();
			if (!this.ready.isEmpty()) {
				this.ready.remove(this.choice.applyAsInt(this.ready.size())).run();
			}
			else if (next != null) {
				this.elapsed = Math.max(this.elapsed, next.due);
			}
			else {
				throw new IllegalStateException("Nothing is left that could bring what a task waits for");
			}
		}
	}

	private void makeReady() {
		for (Timed next = this.timed.peek(); next != null
				&& (next.cancelled || next.due <= this.elapsed); next = this.timed.peek()) {
			this.timed.remove();
			if (!next.cancelled) {
				this.ready.add(next);
			}
		}
	}

	/**
	 * What runs at a time.
	 */
	private static final class Timed implements Runnable, ScheduledTask, Comparable<Timed> {

		private final Runnable task;

		private final long due;

		private final long number;

		private boolean cancelled;

		Timed(Runnable task, long due, long number) {
			this.task = task;
			this.due = due;
			this.number = number;
		}

		@Override
		public void run() {
			if (!this.cancelled) {
				this.task.run();
			}
		}

		@Override
		public void cancel() {
			this.cancelled = true;
		}

		@Override
		public int compareTo(Timed other) {
			int order = Long.compare(this.due, other.due);
			return (order != 0) ? order : Long.compare(this.number, other.number);
		}

	}

}
