package io.redelay.scheduling;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * The threads of an application's queues: one for time, and those that run handlers, of
 * which there are as many as handlers run. None is started before it is needed.
 *
 * @since 0.1.0
 */
public final class QueueThreads implements AutoCloseable {

	private final ScheduledThreadPoolExecutor timer;

	private final Executor handlers;

	private final Runnable close;

	private final Scheduler scheduler;

	private QueueThreads(Executor handlers, Runnable close) {
		this.handlers = handlers;
		this.close = close;
		this.timer = new ScheduledThreadPoolExecutor(1, daemons("redelay-timer-"));
		this.timer.setRemoveOnCancelPolicy(true);
		this.scheduler = Scheduler.of(this.timer, handlers);
	}

	/**
	 * Runs handlers on platform threads, which are used again for a minute.
	 * @return the threads
	 */
	public static QueueThreads platform() {
		ExecutorService pool = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 1, TimeUnit.MINUTES, new ReturningThreads(),
				daemons("redelay-handler-"));
		return new QueueThreads(pool, pool::shutdown);
	}

	/**
	 * Runs each call of a handler on a virtual thread. Needs Java 21.
	 * @return the threads
	 */
	public static QueueThreads virtual() {
		SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("redelay-handler-");
		executor.setVirtualThreads(true);
		ClassLoader classLoader = Thread.currentThread().getContextClassLoader();
		executor.setTaskDecorator((task) -> () -> {
			Thread.currentThread().setContextClassLoader(classLoader);
			task.run();
		});
		return new QueueThreads(executor, executor::close);
	}

	/**
	 * The clock, {@link #timer()} and {@link #handlers()}, for what waits.
	 * @return the scheduler
	 */
	public Scheduler scheduler() {
		return this.scheduler;
	}

	/**
	 * For what is to be done later; its tasks must be short.
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

	@Override
	public void close() {
		this.timer.shutdownNow();
		this.close.run();
	}

	/**
	 * Waits a moment for a thread that is about to return to its pool before a new one is
	 * started: who hands over a task often does because a handler has just finished.
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

	/**
	 * Makes threads that inherit nothing of the thread which happens to need one first:
	 * that may be anybody's who completes a future or acknowledges a message.
	 */
	private static ThreadFactory daemons(String prefix) {
		ClassLoader classLoader = Thread.currentThread().getContextClassLoader();
		AtomicInteger count = new AtomicInteger();
		return (task) -> {
			Thread thread = new Thread(null, task, prefix + count.incrementAndGet(), 0, false);
			thread.setDaemon(true);
			thread.setContextClassLoader(classLoader);
			return thread;
		};
	}

}
