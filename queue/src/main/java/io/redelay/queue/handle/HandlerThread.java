package io.redelay.queue.handle;

import io.redelay.delivery.DeliveryScope;
import io.redelay.queue.observation.GuardedObservation;
import io.redelay.queue.script.NextMessages;
import org.jspecify.annotations.Nullable;

/**
 * The thread on which the user's code runs for one handling, while it runs.
 * <p>
 * Safe for use by many threads.
 */
final class HandlerThread {

	private @Nullable Thread thread;

	/**
	 * Enters the user's code, in the scopes of its observation and of its messages.
	 * @param sent collects the messages that the code sends with the acknowledgement;
	 * {@code null} to keep the present scope
	 */
	Call enter(GuardedObservation observation, @Nullable NextMessages sent) {
		synchronized (this) {
			this.thread = Thread.currentThread();
		}
		GuardedObservation.Scope observed = observation.openScope();
		DeliveryScope delivery = (sent != null) ? DeliveryScope.open(sent) : DeliveryScope.open();
		return () -> {
			delivery.close();
			observed.close();
			leave();
		};
	}

	/**
	 * After this the thread is not interrupted for this handling any more. The interrupt
	 * flag is cleared, so a handler that interrupted its own thread does not stop later
	 * work there.
	 */
	private synchronized void leave() {
		this.thread = null;
		Thread.interrupted();
	}

	synchronized void interrupt() {
		if (this.thread != null) {
			this.thread.interrupt();
		}
	}

	/**
	 * A call of the user's code.
	 */
	interface Call extends AutoCloseable {

		@Override
		void close();

	}

}
