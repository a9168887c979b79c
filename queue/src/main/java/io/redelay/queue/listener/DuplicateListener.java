package io.redelay.queue.listener;

import java.time.Duration;

import io.redelay.queue.QueueListener;
import io.redelay.queue.work.DeliveryInfo;

/**
 * Called for messages that were not handled because of their
 * {@linkplain QueueListener#idempotencyKey() idempotency key}. All beans of this type are
 * called, in their order.
 * <p>
 * Called on the thread of the handler, just before the decision is sent to Redis. So it
 * must be quick, and safe for use by many threads. What it throws is logged and changes
 * nothing.
 *
 * @since 0.1.0
 */
public interface DuplicateListener {

	/**
	 * A message is acknowledged without its handling, because the handling of one with
	 * the same key has succeeded.
	 * @param delivery the message
	 */
	default void onDuplicate(DeliveryInfo delivery) {
	}

	/**
	 * A message is given back, with no attempt counted, because one with the same key is
	 * being handled.
	 * @param delivery the message
	 * @param delay how long until it can be delivered again
	 */
	default void onPostponed(DeliveryInfo delivery, Duration delay) {
	}

}
