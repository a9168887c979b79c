package io.redelay.scheduling;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * Threads for tasks that may block: there are as many as there are tasks, and none is
 * started before it is needed. They have the context class loader of their creator.
 *
 * @since 0.1.0
 */
public final class TaskThreads implements Executor, AutoCloseable {

	private static final long KEEP_ALIVE_SECONDS = 60;

	private final Executor executor;

	private final Runnable close;

	private TaskThreads(Executor executor, Runnable close) {
		this.executor = executor;
		this.close = close;
	}

	/**
	 * Platform threads, which are used again for a minute.
	 * @param namePrefix the prefix of their names
	 * @return the threads
	 */
	public static TaskThreads platform(String namePrefix) {
		return platform(namePrefix, new SynchronousQueue<>());
	}

	static TaskThreads platform(String namePrefix, SynchronousQueue<Runnable> handover) {
		ExecutorService pool = new ThreadPoolExecutor(0, Integer.MAX_VALUE, KEEP_ALIVE_SECONDS, TimeUnit.SECONDS,
				handover, new DaemonThreads(namePrefix));
		return new TaskThreads(pool, pool::shutdown);
	}

	/**
	 * A virtual thread for each task. Needs Java 21.
	 * @param namePrefix the prefix of their names
	 * @return the threads
	 */
	public static TaskThreads virtual(String namePrefix) {
		SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor(namePrefix);
		executor.setVirtualThreads(true);
		ClassLoader classLoader = Thread.currentThread().getContextClassLoader();
		executor.setTaskDecorator((task) -> () -> {
			Thread.currentThread().setContextClassLoader(classLoader);
			task.run();
		});
		return new TaskThreads(executor, executor::close);
	}

	/**
	 * Runs a task.
	 * @throws java.util.concurrent.RejectedExecutionException if these threads are closed
	 */
	@Override
	public void execute(Runnable task) {
		this.executor.execute(task);
	}

	/**
	 * Ends the threads that have no task; each of the others ends with its task.
	 */
	public void suspend() {
		keepFor(0);
	}

	/**
	 * Keeps threads for further tasks again.
	 */
	public void resume() {
		keepFor(KEEP_ALIVE_SECONDS);
	}

	private void keepFor(long seconds) {
		if (this.executor instanceof ThreadPoolExecutor pool) {
			pool.setKeepAliveTime(seconds, TimeUnit.SECONDS);
		}
	}

	@Override
	public void close() {
		this.close.run();
	}

}
