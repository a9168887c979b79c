package io.redelay.queue.failure;

import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;

import io.redelay.log.PlainLog;
import io.redelay.queue.DeathReason;
import io.redelay.queue.listener.MessageRetryListener;
import io.redelay.queue.measure.QueueMeters;
import io.redelay.queue.work.DeliveryInfo;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Reports the outcome of failed handling: in the log, and to the
 * {@link MessageRetryListener}s.
 *
 * @param listener the id of the listener
 * @param listeners called for failures
 * @param meters count failed attempts
 */
record FailureReporter(String listener, List<MessageRetryListener> listeners, QueueMeters meters) {

	private static final Log logger = PlainLog.of(FailureReporter.class);

	/**
	 * The longest text of a failure that is passed to a meter.
	 */
	private static final int LONGEST_TEXT = 200;

	void retried(DeliveryFacts facts, Throwable failure, int failures, int maxAttempts, Duration pause) {
		String what = "The " + facts + " failed (" + failures + " of " + maxAttempts
				+ " attempts) and is tried again in " + pause;
		if (failure instanceof NackException) {
			logger.info(what + ": it was negatively acknowledged");
		}
		else {
			FailureText.warnInOneLine(logger, what, failure);
		}
		measure(facts, failure, null);
		notifyListeners(facts, (listener, info) -> listener.onRetry(info, failure, pause));
	}

	void recovered(DeliveryFacts facts, Throwable failure) {
		if (logger.isDebugEnabled()) {
			logger.debug("The " + facts + " failed, and its error handler dealt with it", failure);
		}
		notifyListeners(facts, (listener, info) -> listener.onRecovered(info, failure));
	}

	void dead(DeliveryFacts facts, DeathReason reason, @Nullable String why, @Nullable Throwable failure) {
		logger.error("The " + facts + " is dead (" + reason + "): " + why, failure);
		if (failure != null || !isEndOfTime(reason)) {
			measure(facts, failure, why);
		}
		notifyListeners(facts, (listener, info) -> listener.onDead(info, reason, failure));
	}

	/**
	 * Returns whether a message with no failure died without an attempt.
	 */
	private static boolean isEndOfTime(DeathReason reason) {
		return reason == DeathReason.EXPIRED || reason == DeathReason.DEADLINE;
	}

	void lost(DeliveryFacts facts, Throwable failure) {
		logger.error("The " + facts + " failed, and is lost: it was acknowledged before its handling", failure);
		measure(facts, failure, null);
		notifyListeners(facts, (listener, info) -> listener.onLost(info, failure));
	}

	void dropped(DeliveryFacts facts, String why, @Nullable Throwable failure) {
		String what = "Dropped the " + facts + ((failure != null) ? "" : " unhandled") + ", as its sender wished: "
				+ why;
		if (failure != null) {
			FailureText.warnInOneLine(logger, what, failure);
			measure(facts, failure, why);
		}
		else {
			logger.warn(what);
		}
	}

	/**
	 * Reports a message whose failure cannot be described, because describing it failed.
	 * @param pause how long until the next attempt, or {@code null} if there is none
	 */
	void unclear(DeliveryFacts facts, Throwable ex, @Nullable Duration pause) {
		logger.error("It cannot be said how the handling of the " + facts + " failed, for that failed with a "
				+ ex.getClass().getName());
		measure(facts, ex, "its failure cannot be described");
		notifyListeners(facts, (listener, info) -> {
			if (pause != null) {
				listener.onRetry(info, ex, pause);
			}
			else {
				listener.onDead(info, DeathReason.FAILED, ex);
			}
		});
	}

	/**
	 * Counts a failed attempt with the meters.
	 * @param why the text to report, or {@code null} for the text of the failure
	 */
	private void measure(DeliveryFacts facts, @Nullable Throwable failure, @Nullable String why) {
		if (this.meters.isEmpty()) {
			return;
		}
		String thrown = (failure != null && !(failure instanceof NackException)) ? failure.getClass().getName() : null;
		String text = (why == null && failure != null) ? FailureText.describe(failure) : String.valueOf(why);
		String shown = (text.length() > LONGEST_TEXT) ? text.substring(0, LONGEST_TEXT - 1) + "…" : text;
		this.meters.record((meter) -> meter.failed(facts.queue(), this.listener, thrown, shown));
	}

	private void notifyListeners(DeliveryFacts facts, BiConsumer<MessageRetryListener, DeliveryInfo> call) {
		if (this.listeners.isEmpty()) {
			return;
		}
		DeliveryInfo info = facts.info();
		for (MessageRetryListener listener : this.listeners) {
			try {
				call.accept(listener, info);
			}
			catch (Throwable ex) {
				FailureText.warn(logger, "A MessageRetryListener of the type " + listener.getClass().getName()
						+ " failed, which changes nothing for the " + facts, ex);
			}
		}
	}

}
