package io.redelay.queue.listener;

import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.redelay.delivery.GiveBackMessage;
import io.redelay.queue.MessageStoppedException;
import io.redelay.queue.PayloadConversionException;
import io.redelay.queue.QueueWaitException;
import io.redelay.queue.limits.DueTime;
import io.redelay.queue.listener.failure.Causes;
import io.redelay.queue.listener.failure.FailureText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * How the handling of one message ended, if the handling of at least one message of the
 * invocation failed.
 *
 * @param delivery the message
 * @param thrown the exception of the handler, if it failed
 * @param left the failure that is left after the error handler was called, or
 * {@code null}
 */
record Outcome(Delivery delivery, @Nullable Throwable thrown, @Nullable Throwable left) {

	private static final Log logger = LogFactory.getLog(Outcome.class);

	/**
	 * Creates the outcome of a message. If its handling failed, this method calls the
	 * error handler first, unless there is none, the message is settled or was cancelled,
	 * its conversion failed, or it is to be given back.
	 */
	static Outcome of(Delivery delivery, @Nullable Throwable failure, @Nullable Recovery recovery) {
		Throwable thrown = (failure != null) ? EarlyStops.unwrap(delivery.reason(), failure) : null;
		if (thrown == null || recovery == null || delivery.isSettled() || delivery.isGivenUp()
				|| thrown instanceof PayloadConversionException || thrown instanceof MessageStoppedException
				|| Causes.find(thrown, QueueWaitException.class) != null
				|| Causes.find(thrown, GiveBackMessage.class) != null) {
			return new Outcome(delivery, thrown, thrown);
		}
		return new Outcome(delivery, thrown, recovery.recover(delivery, thrown));
	}

	/**
	 * Creates the outcomes of messages.
	 * @param failures why the message at a position failed, or {@code null} if it did not
	 */
	static List<Outcome> of(List<Delivery> deliveries, IntFunction<@Nullable Throwable> failures,
			@Nullable Recovery recovery) {
		return IntStream.range(0, deliveries.size())
			.mapToObj((position) -> of(deliveries.get(position), failures.apply(position), recovery))
			.toList();
	}

	void settle() {
		if (this.left != null) {
			fail(this.left);
		}
		else if (this.thrown != null) {
			this.delivery.settlement().recovered(this.thrown);
		}
		else {
			this.delivery.acknowledge();
		}
	}

	private void fail(Throwable failure) {
		if (this.delivery.isGivenUp()) {
			this.delivery.settlement().failed(failure);
			return;
		}
		GiveBackMessage unhandled = Causes.find(failure, GiveBackMessage.class);
		QueueWaitException wait = Causes.find(failure, QueueWaitException.class);
		if (failure instanceof PayloadConversionException) {
			this.delivery.conversionFailed(failure);
		}
		else if (EarlyStops.unwrap(this.delivery.reason(), failure) instanceof MessageStoppedException stop) {
			this.delivery.settlement().stopped(stop);
		}
		else if (wait != null) {
			logger
				.info("The " + this.delivery + " is given back, and its " + (wait.isOfKey() ? "fairness key" : "queue")
						+ " waits for " + wait.getDuration() + ": " + FailureText.describe(failure));
			this.delivery.settlement().waiting(wait.getDuration(), wait.isOfKey());
		}
		else if (unhandled != null && !DueTime.isPossible(unhandled.getGiveBackDelay())) {
			this.delivery.settlement()
				.failed(new IllegalArgumentException("The give-back delay of a " + unhandled.getClass().getName()
						+ " must be 0 to 3650 days: " + unhandled.getGiveBackDelay(), failure));
		}
		else if (unhandled != null) {
			logger.info("The " + this.delivery + " is given back for " + unhandled.getGiveBackDelay() + ": "
					+ FailureText.describe(failure));
			this.delivery.settlement().giveBack(unhandled.getGiveBackDelay());
		}
		else {
			this.delivery.settlement().failed(failure);
		}
	}

}
