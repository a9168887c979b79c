package io.redelay.queue.handle;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.redelay.delivery.GiveBackMessage;
import io.redelay.log.PlainLog;
import io.redelay.queue.PayloadConversionException;
import io.redelay.queue.QueueWaitException;
import io.redelay.queue.failure.Causes;
import io.redelay.queue.failure.ConversionFailure;
import io.redelay.queue.failure.FailurePolicy;
import io.redelay.queue.failure.FailureText;
import io.redelay.queue.limits.DueTime;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.observation.QueueProcessContext;
import io.redelay.queue.work.CancellationReason;
import io.redelay.queue.work.DeadlinePassedException;
import io.redelay.queue.work.MessageStoppedException;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Decides how one delivery is settled, by how its handling ended. Only the first
 * settlement counts; each later one does nothing.
 * <p>
 * Safe for use by many threads.
 */
final class DeliverySettlement {

	private static final Log logger = PlainLog.of(DeliverySettlement.class);

	private final Delivery delivery;

	private final DeliveryClaim claim;

	private final SettlementStages stages;

	private volatile boolean acknowledgedFirst;

	/**
	 * Whether the failure of a message that was acknowledged before its handling is
	 * reported.
	 */
	private boolean lossReported;

	private volatile @Nullable Throwable conversionFailure;

	DeliverySettlement(Delivery delivery, DeliveryClaim claim, SettlementStages stages) {
		this.delivery = delivery;
		this.claim = claim;
		this.stages = stages;
	}

	/**
	 * Reads the envelope and checks whether the handler may be called for the message,
	 * which was claimed a while ago. If it may not, this method settles the message.
	 * @return whether the handler may be called
	 */
	boolean open() {
		if (this.stages.isSettled()) {
			return false;
		}
		if (!this.delivery.owner().mayStart(this.delivery)) {
			giveBack(Duration.ZERO);
			return false;
		}
		try {
			this.claim.read();
			return isAllowed();
		}
		catch (RuntimeException ex) {
			// Another program may have written the envelope.
			conversionFailed(ConversionFailure.exception("The envelope cannot be read", ex));
			return false;
		}
		catch (Error ex) {
			// Most likely an OutOfMemoryError, which need not occur at another attempt.
			failed(ex);
			return false;
		}
	}

	private boolean isAllowed() {
		if (this.delivery.isGivenUp()) {
			settle(this.stages::givenUp);
			return false;
		}
		if (this.claim.hasCrashedTooOften()) {
			settle(() -> policy().crashed(this.stages.facts()));
			return false;
		}
		Envelope.Expiration ending = this.claim.ending();
		if (ending != null) {
			settle(() -> policy().expired(this.stages.facts(), ending));
		}
		return ending == null;
	}

	/**
	 * Settles the message after the handler of its invocation has ended. If the code that
	 * is to decide about it fails, it is settled all the same.
	 * @param thrown the exception of the handler, or {@code null} if it handled the
	 * message
	 * @param left the failure that is left after the error handler was called, or
	 * {@code null}
	 */
	void ended(@Nullable Throwable thrown, @Nullable Throwable left) {
		try {
			if (left != null) {
				endedWith(left);
			}
			else if (thrown != null) {
				recovered(thrown);
			}
			else {
				acknowledge();
			}
		}
		catch (Throwable ex) {
			undecided(ex);
		}
	}

	private void endedWith(Throwable failure) {
		if (this.delivery.isGivenUp()) {
			failed(failure);
			return;
		}
		GiveBackMessage unhandled = Causes.find(failure, GiveBackMessage.class);
		QueueWaitException wait = Causes.find(failure, QueueWaitException.class);
		if (failure instanceof PayloadConversionException) {
			conversionFailed(failure);
		}
		else if (EarlyStops.unwrap(this.delivery.reason(), failure) instanceof MessageStoppedException stop) {
			giveBack(this.claim.context().failures().stops().delay(this.claim, this.delivery.reason(), stop));
		}
		else if (wait != null) {
			logger
				.info("The " + this.delivery + " is given back, and its " + (wait.isOfKey() ? "fairness key" : "queue")
						+ " waits for " + wait.getDuration() + ": " + FailureText.describe(failure));
			settle(() -> Settlement.waiting(this.claim.uid(), this.claim.number(), wait.getDuration(), wait.isOfKey()));
		}
		else if (unhandled != null && !DueTime.isPossible(unhandled.getGiveBackDelay())) {
			failed(new IllegalArgumentException("The give-back delay of a " + unhandled.getClass().getName()
					+ " must be 0 to 3650 days: " + unhandled.getGiveBackDelay(), failure));
		}
		else if (unhandled != null) {
			logger.info("The " + this.delivery + " is given back for " + unhandled.getGiveBackDelay() + ": "
					+ FailureText.describe(failure));
			giveBack(unhandled.getGiveBackDelay());
		}
		else {
			failed(failure);
		}
	}

	void acknowledge() {
		this.stages.settle(true, this.claim::acknowledgement);
	}

	/**
	 * Acknowledges the message before its handling, so that it is delivered once at most.
	 * @return a future of whether the handler may be called for it; completes on a thread
	 * that must not block
	 */
	CompletableFuture<Boolean> acknowledgeFirst() {
		if (!this.stages.mark()) {
			return CompletableFuture.completedFuture(false);
		}
		this.acknowledgedFirst = true;
		return this.delivery.owner().acknowledgeFirst(this.delivery, this.claim.acknowledgement());
	}

	/**
	 * Returns whether the message was acknowledged before its handling.
	 */
	boolean isAcknowledgedFirst() {
		return this.acknowledgedFirst;
	}

	/**
	 * Reports, once, the failure of a message that was acknowledged before its handling.
	 */
	void lost(Throwable failure) {
		synchronized (this) {
			if (this.lossReported) {
				return;
			}
			this.lossReported = true;
		}
		policy().lost(this.stages.facts(), failure);
	}

	/**
	 * Returns whether the handler still works for this message: not if it is settled, or
	 * if it was acknowledged before and the handler was signalled to end.
	 */
	boolean isWanted() {
		CancellationReason turned = this.delivery.reason();
		return this.acknowledgedFirst ? turned == null || turned == CancellationReason.SHUTDOWN
				: !this.stages.isSettled();
	}

	/**
	 * Settles the message because its handler refused it.
	 * @param delay how long until it can be claimed again, or {@code null} for the
	 * backoff
	 */
	void nacked(@Nullable Duration delay) {
		if (delay == null || DueTime.isPossible(delay)) {
			settle(() -> policy().nacked(this.stages.facts(), delay));
		}
		else {
			// If this method threw an exception and the handler swallowed it, the
			// container would hold the message for ever.
			failed(new IllegalArgumentException("'delay' of a nack must be 0 to 3650 days: " + delay));
		}
	}

	/**
	 * Settles the message because its handler rejected it.
	 */
	void rejected(String reason) {
		settle(() -> policy().rejected(this.stages.facts(), reason));
	}

	/**
	 * Settles the message after it could not be converted for its handler.
	 */
	void conversionFailed(Throwable failure) {
		this.conversionFailure = failure;
		if (this.acknowledgedFirst) {
			lost(failure);
		}
		settle(() -> policy().conversionFailed(this.stages.facts(), failure));
	}

	/**
	 * Returns why the message could not be converted for its handler, or {@code null} if
	 * no conversion failed.
	 */
	@Nullable Throwable conversionFailure() {
		return this.conversionFailure;
	}

	/**
	 * Settles the message after its handling failed.
	 */
	void failed(Throwable failure) {
		settle(() -> policy().failed(this.stages.facts(), failure, null));
	}

	/**
	 * Ends the handling of the message because its deadline has passed, unless the
	 * message was settled in time.
	 * @return whether it was not
	 */
	boolean overdue(DeadlinePassedException failure, Executor callbacks) {
		if (this.stages.isSettled() && !this.acknowledgedFirst) {
			return false;
		}
		settle(() -> policy().overdue(this.stages.facts(),
				this.claim.envelope().overdue(String.valueOf(failure.getMessage())), failure));
		this.delivery.turn(CancellationReason.DEADLINE, callbacks);
		return true;
	}

	/**
	 * Settles the message after the code that was to decide about it failed itself.
	 */
	void undecided(Throwable failure) {
		settle(() -> policy().undecided(this.stages.facts(), failure));
	}

	/**
	 * Settles the message after its handling failed and the error handler recovered from
	 * the failure.
	 */
	void recovered(Throwable failure) {
		this.stages.settle(true, () -> policy().recovered(this.stages.facts(), failure));
	}

	/**
	 * Gives the message back to the queue unhandled, without counting an attempt.
	 * @param delay how long until it can be claimed again
	 */
	void giveBack(Duration delay) {
		settle(() -> this.claim.givenBack(delay));
	}

	/**
	 * Acknowledges the message without its handling.
	 * @param way how that is counted, such as {@link QueueProcessContext#DUPLICATE};
	 * {@code null} for the message of a tick that does not run
	 */
	void acknowledgeUnhandled(@Nullable String way) {
		this.stages.endsAs(way);
		settle(this.claim::acknowledgement);
	}

	/**
	 * Gives the message back, because a message with the same key is being handled, or
	 * may be.
	 */
	void postpone(Duration delay) {
		this.stages.endsAs(QueueProcessContext.POSTPONED);
		giveBack(delay);
	}

	private void settle(Supplier<Settlement> settlement) {
		this.stages.settle(false, settlement);
	}

	private FailurePolicy policy() {
		return this.claim.context().failures().policy();
	}

}
