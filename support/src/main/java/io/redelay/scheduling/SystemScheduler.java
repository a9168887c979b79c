package io.redelay.scheduling;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * The JVM's clock, and an executor of threads.
 */
abstract class SystemScheduler implements Scheduler {

	private final Executor executor;

	SystemScheduler(Executor executor) {
		this.executor = executor;
	}

	@Override
	public final long nanoTime() {
		return System.nanoTime();
	}

	@Override
	public final boolean execute(Runnable task) {
		try {
			this.executor.execute(task);
			return true;
		}
		catch (RejectedExecutionException | OutOfMemoryError ex) {
			// The error means that the JVM cannot start a thread.
			return false;
		}
	}

}
