package io.redelay.queue.listener;

import java.time.Duration;
import java.util.List;

import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.DeathReason;
import io.redelay.queue.work.DeliveryInfo;
import org.jspecify.annotations.Nullable;

/**
 * Called when it is decided what becomes of messages whose handling failed. All beans of
 * this type are called, in their order.
 * <p>
 * Called when the decision is made, just before it is sent to Redis (but see
 * {@link #onTrimmed}), on the thread that made it: the handler's, or one that completed a
 * future or called an {@link Acknowledgment}. So it must be quick, and safe for use by
 * many threads. What it throws is logged and changes nothing.
 *
 * @since 0.1.0
 */
public interface MessageRetryListener {

	/**
	 * An attempt failed, and the message is delivered again.
	 * @param delivery the delivery that failed
	 * @param failure why; an exception of Redelay's own if the handler said so through
	 * its {@link Acknowledgment}
	 * @param delay how long until it can be delivered again
	 */
	default void onRetry(DeliveryInfo delivery, Throwable failure, Duration delay) {
	}

	/**
	 * An attempt failed, and the {@link QueueErrorHandler} dealt with it: the message is
	 * done.
	 * @param delivery the delivery that failed
	 * @param failure why
	 */
	default void onRecovered(DeliveryInfo delivery, Throwable failure) {
	}

	/**
	 * The message goes to the dead messages.
	 * @param delivery the last delivery; of a message that cannot be read, the times are
	 * {@link java.time.Instant#EPOCH}
	 * @param reason why
	 * @param failure what it failed with at last, if it did
	 */
	default void onDead(DeliveryInfo delivery, DeathReason reason, @Nullable Throwable failure) {
	}

	/**
	 * The handling of a message failed after it was acknowledged
	 * ({@link AckMode#BEFORE_HANDLING}): it is neither delivered again nor kept.
	 * @param delivery the only delivery
	 * @param failure why
	 */
	default void onLost(DeliveryInfo delivery, Throwable failure) {
	}

	/**
	 * The oldest dead messages were removed, because there were too many or they had been
	 * kept long enough. Called after the removal, in the instance that did it.
	 * @param queue the queue
	 * @param uids their uids, at most 500
	 */
	default void onTrimmed(String queue, List<String> uids) {
	}

}
