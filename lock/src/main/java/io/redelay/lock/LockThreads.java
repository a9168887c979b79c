package io.redelay.lock;

import java.util.concurrent.Executor;

import io.redelay.scheduling.Scheduler;
import io.redelay.scheduling.TaskThreads;

/**
 * The threads on which asynchronous methods continue after a lock was acquired or
 * released. Code of the application must not run on threads of the Redis client.
 *
 * @since 0.1.0
 */
public final class LockThreads implements AutoCloseable {

	private static final String NAME = "redelay-lock-";

	private final Scheduler scheduler;

	private final TaskThreads threads;

	private LockThreads(TaskThreads threads) {
		this.threads = threads;
		// Not closed: code that holds a lock when the application closes still releases
		// it.
		this.scheduler = Scheduler.unclosed(threads);
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
		return new LockThreads(TaskThreads.platform(NAME));
	}

	/**
	 * Virtual threads. Needs Java 21.
	 * @return the threads
	 */
	public static LockThreads virtual() {
		return new LockThreads(TaskThreads.virtual(NAME));
	}

	public Executor executor() {
		return this::executeOrRun;
	}

	Scheduler scheduler() {
		return this.scheduler;
	}

	/**
	 * Ends the threads that have no task; each of the others ends with its task.
	 */
	public void suspend() {
		this.threads.suspend();
	}

	/**
	 * Keeps threads for further tasks again.
	 */
	public void resume() {
		this.threads.resume();
	}

	@Override
	public void close() {
		this.threads.close();
	}

}
