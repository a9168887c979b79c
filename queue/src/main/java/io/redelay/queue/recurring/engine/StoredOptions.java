package io.redelay.queue.recurring.engine;

import io.redelay.queue.DeliveryLimits;
import io.redelay.queue.DeliveryOrder;
import io.redelay.queue.ExpiryAction;
import io.redelay.queue.HandlingOptions;
import org.jspecify.annotations.Nullable;

/**
 * What each message of a recurring message has beside its payload and tags, as it is kept
 * in Redis.
 *
 * @param order what decides when it is delivered
 * @param limits how often and until when it is delivered; a deadline counts from its tick
 * @param handling how it is handled
 * @param headers the headers as JSON, or {@code null} if there are none: as a text, so
 * that a number is the same after it was read
 */
record StoredOptions(DeliveryOrder order, DeliveryLimits limits, HandlingOptions handling, @Nullable String headers) {

	/**
	 * Nothing.
	 */
	static final StoredOptions NONE = new StoredOptions(new DeliveryOrder(null, null, null, null, null),
			new DeliveryLimits(null, null, ExpiryAction.BURY, null), HandlingOptions.NONE, null);

}
