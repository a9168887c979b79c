package io.redelay.scheduling;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A task that does not block, done again and again from its {@link #start()} to its
 * {@link #close()}. Where the time before has not ended yet, a time is left out.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class RegularTask implements AutoCloseable {

	private final Scheduler scheduler;

	private final Duration interval;

	private final Supplier<CompletableFuture<?>> task;

	private final Consumer<Throwable> failed;

	private final AtomicBoolean underWay = new AtomicBoolean();

	private boolean closed;

	private volatile @Nullable ScheduledTask regular;

	/**
	 * Creates a task, which does nothing before it is started.
	 * @param scheduler the timer
	 * @param interval how long after its start it is done for the first time, and how
	 * much time there is between two times
	 * @param task begins to do it, on the timer's thread, and completes when it is done
	 * @param failed called with the failure if it was not done; must be quick
	 */
	public RegularTask(Scheduler scheduler, Duration interval, Supplier<CompletableFuture<?>> task,
			Consumer<Throwable> failed) {
		this.scheduler = scheduler;
		this.interval = interval;
		this.task = task;
		this.failed = failed;
	}

	/**
	 * Begins, unless it has begun or is closed. If the timer has no thread now, the next
	 * call tries again.
	 */
	public void start() {
		if (this.regular == null) {
			schedule();
		}
	}

	private synchronized void schedule() {
		if (this.regular == null && !this.closed) {
			this.regular = this.scheduler.repeat(this::run, this.interval, this.interval);
		}
	}

	/**
	 * Stops the repetition. A running task goes on to its end.
	 */
	@Override
	public synchronized void close() {
		this.closed = true;
		if (this.regular != null) {
			this.regular.cancel();
		}
	}

	private void run() {
		if (!this.underWay.compareAndSet(false, true)) {
			return;
		}
		try {
			this.task.get().whenComplete((done, failure) -> ended(failure));
		}
		catch (Throwable ex) {
			ended(ex);
		}
	}

	private void ended(@Nullable Throwable failure) {
		this.underWay.set(false);
		if (failure != null) {
			this.failed.accept(failure);
		}
	}

}
