package io.redelay.queue.event.engine;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

import io.redelay.scheduling.DaemonThreads;
import org.jspecify.annotations.Nullable;

/**
 * A thread that is started when it is first needed, and runs until its work ends.
 * <p>
 * Safe for use by many threads.
 */
final class EventThread {

	private final DaemonThreads threads;

	private final Work work;

	/**
	 * Held while the work runs: a thread that has not ended in time may still be in it
	 * when the next one is started.
	 */
	private final ReentrantLock working = new ReentrantLock();

	private @Nullable Thread thread;

	private boolean ended;

	EventThread(String name, Work work) {
		this.threads = new DaemonThreads(name);
		this.work = work;
	}

	synchronized void start() {
		if (this.thread == null && !this.ended) {
			this.thread = this.threads.newThread(this::run);
			this.thread.start();
		}
	}

	private void run() {
		try {
			this.working.lockInterruptibly();
			try {
				this.work.run();
			}
			finally {
				this.working.unlock();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Returns whether the calling thread is the one that was started last. Another one
	 * has to end.
	 */
	synchronized boolean isCurrent() {
		return this.thread == Thread.currentThread();
	}

	/**
	 * Lets the thread be started again after its end.
	 */
	synchronized void reopen() {
		this.ended = false;
		this.thread = null;
	}

	/**
	 * Waits until the work ends, and interrupts it if it does not end in time.
	 */
	void end(Duration limit) {
		Thread running;
		synchronized (this) {
			this.ended = true;
			running = this.thread;
		}
		if (running == null || running == Thread.currentThread()) {
			return;
		}
		try {
			running.join(Math.max(1, limit.toMillis()));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		running.interrupt();
	}

	/**
	 * The work of the thread.
	 */
	@FunctionalInterface
	interface Work {

		void run() throws InterruptedException;

	}

}
