package io.redelay.lock;

import java.time.Duration;
import java.util.List;

import io.redelay.log.PlainLog;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Publishes events to the listeners of locks. A listener that fails changes nothing about
 * the lock.
 *
 * @param listeners the listeners
 * @param activity keeps what is held, and counts what was refused
 */
record LockEvents(List<LockListener> listeners, UsedLocks activity) {

	private static final Log logger = PlainLog.of(LockEvents.class);

	LockEvents {
		listeners = List.copyOf(listeners);
	}

	void acquired(LockFrame frame, long nanos) {
		if (frame.isFresh()) {
			this.activity.waited(frame.origin().queue(), nanos);
			this.activity.acquired(frame);
			publish(LockEvent.Type.ACQUIRED, frame.spec(), nanos, null);
		}
	}

	void notAcquired(LockSpec spec, LockOrigin origin, Throwable failure, long nanos) {
		this.activity.waited(origin.queue(), nanos);
		LockEvent.Type type = (failure instanceof LockInterruptedException) ? LockEvent.Type.INTERRUPTED
				: (failure instanceof LockNotAcquiredException) ? LockEvent.Type.BUSY : LockEvent.Type.UNAVAILABLE;
		if (type == LockEvent.Type.BUSY) {
			this.activity.refused(origin.queue());
		}
		publish(type, spec, nanos, failure);
	}

	void cancelled(LockSpec spec, long nanos) {
		publish(LockEvent.Type.INTERRUPTED, spec, nanos, null);
	}

	/**
	 * Publishes the release of a lock.
	 * @param frame the lock
	 * @param held whether it was held until the release, or {@code null} if the release
	 * failed
	 * @param failure the failure of the release
	 */
	void ended(LockFrame frame, @Nullable Boolean held, @Nullable Throwable failure) {
		if (!frame.isFresh()) {
			return;
		}
		this.activity.ended(frame);
		LockEvent.Type type = LockEvent.Type.RELEASED;
		if (failure != null || held == null) {
			type = LockEvent.Type.RELEASE_FAILED;
			logger.warn("The lock " + frame.spec().names() + " may not have been released; it ends with its lease",
					failure);
		}
		else if (!held) {
			type = LockEvent.Type.LOST;
			logger.warn("The lock " + frame.spec().names() + " was lost before the end of what it protected, "
					+ Duration.ofNanos(frame.heldNanos())
					+ " after it was taken; another may have run at the same time");
		}
		publish(type, frame.spec(), frame.heldNanos(), failure);
	}

	private void publish(LockEvent.Type type, LockSpec spec, long nanos, @Nullable Throwable failure) {
		if (this.listeners.isEmpty()) {
			return;
		}
		LockEvent event = new LockEvent(type, spec.label(), spec.names(), Duration.ofNanos(nanos), failure);
		for (LockListener listener : this.listeners) {
			try {
				listener.onLockEvent(event);
			}
			catch (Throwable ex) {
				// Errors and sneaky checked exceptions too: if they left this method, the
				// lock would not be released.
				logger.warn("The LockListener " + listener.getClass().getName() + " failed with " + event, ex);
			}
		}
	}

}
