package io.redelay.lock;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The acquisitions that wait for a lock, so that all of them end when the application
 * closes.
 */
final class LockWaiters {

	private final Set<LockAcquisition> waiting = ConcurrentHashMap.newKeySet();

	private volatile boolean closed;

	/**
	 * The acquisitions that wait now.
	 */
	Set<LockAcquisition> waiting() {
		return this.waiting;
	}

	boolean isClosed() {
		return this.closed;
	}

	/**
	 * Adds an acquisition, until it has ended.
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
	 * Ends all acquisitions, and each one that is added later.
	 */
	void close() {
		this.closed = true;
		this.waiting.forEach(LockAcquisition::close);
	}

}
