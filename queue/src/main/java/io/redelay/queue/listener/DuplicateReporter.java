package io.redelay.queue.listener;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.redelay.queue.DuplicateListener;
import io.redelay.queue.listener.failure.FailureText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Reports messages that are not handled because of their idempotency key: in the log, and
 * to the {@link DuplicateListener}s.
 */
final class DuplicateReporter {

	private static final Log logger = LogFactory.getLog(DuplicateReporter.class);

	private final List<DuplicateListener> listeners;

	DuplicateReporter(List<DuplicateListener> listeners) {
		this.listeners = listeners;
	}

	void duplicate(Delivery delivery) {
		if (logger.isDebugEnabled()) {
			logger.debug("The " + delivery + " is acknowledged unhandled: one with its key was handled");
		}
		tell(delivery, (listener) -> listener.onDuplicate(delivery.info()));
	}

	void postponed(Delivery delivery, Duration delay) {
		if (logger.isDebugEnabled()) {
			logger.debug("The " + delivery + " is given back for " + delay + ": one with its key is being handled");
		}
		tell(delivery, (listener) -> listener.onPostponed(delivery.info(), delay));
	}

	private void tell(Delivery delivery, Consumer<DuplicateListener> telling) {
		for (DuplicateListener listener : this.listeners) {
			try {
				telling.accept(listener);
			}
			catch (Throwable ex) {
				FailureText.warn(logger, "A DuplicateListener of the type " + listener.getClass().getName()
						+ " failed, which changes nothing for the " + delivery, ex);
			}
		}
	}

}
