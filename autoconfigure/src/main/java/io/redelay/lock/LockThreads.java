package io.redelay.lock;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.redelay.scheduling.Scheduler;

import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * The threads on which asynchronous methods continue after a lock was acquired or
 * released. Code of the application must not run on threads of the Redis client.
 *
 * @since 0.1.0
 */
public final class LockThreads implements AutoCloseable {

	private final Scheduler scheduler;

	private final Runnable close;

	private LockThreads(Executor executor, Runnable close) {
		// Not closed: what holds a lock when the application closes still releases it.
		this(Scheduler.unclosed(executor), close);
	}

	LockThreads(Scheduler scheduler, Runnable close) {
		this.scheduler = scheduler;
		this.close = close;
	}

	/**
	 * Runs the task on the calling thread if the executor refuses it, because the
	 * application has closed or no thread can be started: the caller that waits for the
	 * task would wait for ever otherwise.
	 */
	private void executeOrRun(Runnable task) {
		if (!this.scheduler.execute(task)) {
			task.run();
		}
	}

	/**
	 * Platform threads, which are started when needed and used again for a minute.
	 * @return the threads
	 */
	public static LockThreads platform() {
		CustomizableThreadFactory daemons = new CustomizableThreadFactory("redelay-lock-");
		daemons.setDaemon(true);
		ExecutorService pool = new ThreadPoolExecutor(0, Integer.MAX_VALUE, 1, TimeUnit.MINUTES,
				new SynchronousQueue<>(), daemons);
		return new LockThreads(pool, pool::shutdown);
	}

	/**
	 * Virtual threads. Needs Java 21.
	 * @return the threads
	 */
	public static LockThreads virtual() {
		SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("redelay-lock-");
		executor.setVirtualThreads(true);
		return new LockThreads(executor, executor::close);
	}

	public Executor executor() {
		return this::executeOrRun;
	}

	Scheduler scheduler() {
		return this.scheduler;
	}

	@Override
	public void close() {
		this.close.run();
	}

}
