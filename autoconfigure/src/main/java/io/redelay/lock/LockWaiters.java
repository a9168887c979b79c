package io.redelay.lock;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Who waits for a lock, so that nobody waits any more when the application has closed.
 */
final class LockWaiters {

	private final Set<LockAcquisition> waiting = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	boolean isClosed() {
		return this.closed;
	}

	/**
	 * Adds one, until it has ended.
	 */
	void add(LockAcquisition acquisition) {
		if (this.waiting.add(acquisition)) {
			acquisition.onEnd(() -> this.waiting.remove(acquisition));
		}
		if (this.closed) {
			acquisition.close();
		}
	}

	/**
	 * Ends all waits, those that begin from now on included.
	 */
	void close() {
		this.closed = true;
		this.waiting.forEach(LockAcquisition::close);
	}

}
