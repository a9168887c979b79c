package io.redelay.scheduling;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;

/**
 * The threads of an application's queues: one for time, and those that run handlers, of
 * which there are as many as handlers run. None is started before it is needed.
 *
 * @since 0.1.0
 */
public final class QueueThreads implements AutoCloseable {

	/**
	 * Which tasks still run after the end, and until when.
	 */
	private static final long MOMENT_MILLIS = 100;

	private static final String HANDLER = "redelay-handler-";

	private final ScheduledThreadPoolExecutor timer;

	private final TaskThreads handlers;

	private final Scheduler scheduler;

	/**
	 * The tasks of the timer that wait for {@link #resume()}.
	 */
	private final Queue<Runnable> held = new ArrayDeque<>();

	/**
	 * How often these threads were suspended or resumed.
	 */
	private int turns;

	private QueueThreads(TaskThreads handlers) {
		this.handlers = handlers;
		this.timer = new ScheduledThreadPoolExecutor(1, new DaemonThreads("redelay-timer-"));
		this.timer.setRemoveOnCancelPolicy(true);
		this.scheduler = Scheduler.of(this.timer, handlers);
	}

	/**
	 * Runs handlers on platform threads, which are used again for a minute.
	 * @return the threads
	 */
	public static QueueThreads platform() {
		return new QueueThreads(TaskThreads.platform(HANDLER, new ReturningThreads()));
	}

	/**
	 * Runs each call of a handler on a virtual thread. Needs Java 21.
	 * @return the threads
	 */
	public static QueueThreads virtual() {
		return new QueueThreads(TaskThreads.virtual(HANDLER));
	}

	/**
	 * The clock, {@link #timer()} and {@link #handlers()}, for code that waits.
	 * @return the scheduler
	 */
	public Scheduler scheduler() {
		return this.scheduler;
	}

	/**
	 * The timer for later tasks, which must be short.
	 * @return the timer
	 */
	public ScheduledExecutorService timer() {
		return this.timer;
	}

	/**
	 * For handlers; takes as many as there are.
	 * @return the executor
	 */
	public Executor handlers() {
		return this.handlers;
	}

	/**
	 * Ends the threads, and keeps the tasks of the timer until {@link #resume()}. A task
	 * that comes later still has a thread, for as long as there are such tasks.
	 * @return completes when the timer has put its tasks aside, or was resumed before
	 */
	public synchronized CompletableFuture<Void> suspend() {
		int turn = ++this.turns;
		this.handlers.suspend();
		// On the timer's thread, so that no task is running which would be repeated.
		return CompletableFuture.runAsync(() -> putAside(turn), this.timer);
	}

	/**
	 * Does nothing if the timer was resumed before it came to this.
	 */
	private synchronized void putAside(int turn) {
		if (turn != this.turns) {
			return;
		}
		for (Runnable task : this.timer.getQueue().toArray(Runnable[]::new)) {
			if (this.timer.getQueue().remove(task)) {
				this.held.add(task);
			}
		}
		this.timer.setCorePoolSize(0);
	}

	/**
	 * Goes on with the tasks of the timer: one whose time has come meanwhile runs now.
	 */
	public synchronized void resume() {
		this.turns++;
		this.handlers.resume();
		this.timer.setCorePoolSize(1);
		for (Runnable task = this.held.poll(); task != null; task = this.held.poll()) {
			this.timer.getQueue().add(task);
			this.timer.prestartCoreThread();
		}
	}

	/**
	 * A task that is due within a moment still runs: a lingering request is then sent,
	 * and its sender gets an answer. All other tasks are dropped.
	 */
	@Override
	public void close() {
		resume();
		this.timer.shutdown();
		for (Runnable task : this.timer.getQueue()) {
			if (task instanceof RunnableScheduledFuture<?> scheduled
					&& scheduled.getDelay(TimeUnit.MILLISECONDS) > MOMENT_MILLIS) {
				scheduled.cancel(false);
			}
		}
		this.handlers.close();
	}

	/**
	 * Waits a moment for a thread that is about to return to its pool before a new one is
	 * started: a task is often passed on because a handler has just finished.
	 */
	@SuppressWarnings("serial") // never serialized
	private static final class ReturningThreads extends SynchronousQueue<Runnable> {

		@Override
		public boolean offer(Runnable task) {
			try {
				return super.offer(task) || offer(task, 200, TimeUnit.MICROSECONDS);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				return false;
			}
		}

	}

}
