package io.redelay.queue.handle;

import org.jspecify.annotations.Nullable;

/**
 * The thread on which the user's code runs for one handling, while it runs.
 * <p>
 * Safe for use by many threads.
 */
final class HandlerThread {

	private @Nullable Thread thread;

	synchronized void enter() {
		this.thread = Thread.currentThread();
	}

	/**
	 * After this the thread is not interrupted for this handling any more. The interrupt
	 * flag is cleared, so a handler that interrupted its own thread does not stop later
	 * work there.
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
