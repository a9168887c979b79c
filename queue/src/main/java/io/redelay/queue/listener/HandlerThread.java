package io.redelay.queue.listener;

import org.jspecify.annotations.Nullable;

/**
 * The thread on which the user's code runs for one handling, while it does.
 * <p>
 * Safe for use by many threads.
 */
final class HandlerThread {

	private @Nullable Thread thread;

	synchronized void enter() {
		this.thread = Thread.currentThread();
	}

	/**
	 * After this nobody interrupts the thread for this handling's sake; and a handler
	 * that interrupted its own thread does not stop what comes after it there.
	 */
	synchronized void leave() {
		this.thread = null;
		Thread.interrupted();
	}

	synchronized void interrupt() {
		if (this.thread != null) {
			this.thread.interrupt();
		}
	}

}
