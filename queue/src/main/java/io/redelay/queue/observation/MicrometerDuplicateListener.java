package io.redelay.queue.observation;

import java.time.Duration;

import io.micrometer.core.instrument.MeterRegistry;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.listener.DuplicateListener;
import io.redelay.queue.work.DeliveryInfo;

/**
 * Counts messages that were not handled because of their idempotency key, by queue and by
 * outcome.
 *
 * @since 0.1.0
 */
public final class MicrometerDuplicateListener implements DuplicateListener {

	private final MeterRegistry registry;

	/**
	 * Creates a listener.
	 * @param registry the registry
	 */
	public MicrometerDuplicateListener(MeterRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void onDuplicate(DeliveryInfo delivery) {
		count(delivery, QueueProcessContext.DUPLICATE);
	}

	@Override
	public void onPostponed(DeliveryInfo delivery, Duration delay) {
		count(delivery, QueueProcessContext.POSTPONED);
	}

	private void count(DeliveryInfo delivery, String outcome) {
		this.registry
			.counter("redelay.queue.duplicates", QueueTags.QUEUE, GroupName.lowCardinality(delivery.queue()), "outcome",
					outcome)
			.increment();
	}

}
