package io.redelay.queue.listener.failure;

import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;

import io.redelay.queue.DeathReason;
import io.redelay.queue.DeliveryInfo;
import io.redelay.queue.MessageRetryListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Tells what becomes of messages that were not handled well: in the log, and to those who
 * listen for it.
 */
final class FailureReporter {

	private static final Log logger = LogFactory.getLog(FailureReporter.class);

	private final List<MessageRetryListener> listeners;

	FailureReporter(List<MessageRetryListener> listeners) {
		this.listeners = listeners;
	}

	void retried(DeliveryFacts facts, Throwable failure, int failures, int maxAttempts, Duration pause) {
		String what = "The " + facts + " failed (" + failures + " of " + maxAttempts
				+ " attempts) and is tried again in " + pause;
		if (failure instanceof NackException) {
			logger.info(what + ": it was negatively acknowledged");
		}
		else {
			FailureText.warnInOneLine(logger, what, failure);
		}
		tell(facts, (listener, info) -> listener.onRetry(info, failure, pause));
	}

	void recovered(DeliveryFacts facts, Throwable failure) {
		if (logger.isDebugEnabled()) {
			logger.debug("The " + facts + " failed, and its error handler dealt with it", failure);
		}
		tell(facts, (listener, info) -> listener.onRecovered(info, failure));
	}

	void dead(DeliveryFacts facts, DeathReason reason, @Nullable String why, @Nullable Throwable failure) {
		logger.error("The " + facts + " is dead (" + reason + "): " + why, failure);
		tell(facts, (listener, info) -> listener.onDead(info, reason, failure));
	}

	void lost(DeliveryFacts facts, Throwable failure) {
		logger.error("The " + facts + " failed, and is lost: it was acknowledged before its handling", failure);
		tell(facts, (listener, info) -> listener.onLost(info, failure));
	}

	void dropped(DeliveryFacts facts, String why, @Nullable Throwable failure) {
		String what = "Dropped the " + facts + ((failure != null) ? "" : " unhandled") + ", as its sender wished: "
				+ why;
		if (failure != null) {
			FailureText.warnInOneLine(logger, what, failure);
		}
		else {
			logger.warn(what);
		}
	}

	/**
	 * It cannot be said how a message failed, for saying so failed itself.
	 * @param pause how long until the next attempt, or {@code null} if there is none
	 */
	void unclear(DeliveryFacts facts, Throwable ex, @Nullable Duration pause) {
		logger.error("It cannot be said how the handling of the " + facts + " failed, for that failed with a "
				+ ex.getClass().getName());
		tell(facts, (listener, info) -> {
			if (pause != null) {
				listener.onRetry(info, ex, pause);
			}
			else {
				listener.onDead(info, DeathReason.FAILED, ex);
			}
		});
	}

	private void tell(DeliveryFacts facts, BiConsumer<MessageRetryListener, DeliveryInfo> telling) {
		if (this.listeners.isEmpty()) {
			return;
		}
		DeliveryInfo info = facts.info();
		for (MessageRetryListener listener : this.listeners) {
			try {
				telling.accept(listener, info);
			}
			catch (Throwable ex) {
				FailureText.warn(logger, "A MessageRetryListener of the type " + listener.getClass().getName()
						+ " failed, which changes nothing for the " + facts, ex);
			}
		}
	}

}
