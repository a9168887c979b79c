package io.redelay.queue.observation;

import io.micrometer.core.instrument.MeterRegistry;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.listener.InletListener;

/**
 * Counts the entries of inlets by queue and by outcome.
 *
 * @since 0.1.0
 */
public final class MicrometerInletListener implements InletListener {

	private final MeterRegistry registry;

	/**
	 * Creates a listener.
	 * @param registry the registry
	 */
	public MicrometerInletListener(MeterRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void onTaken(String queue, int count) {
		count(queue, "taken", count);
	}

	@Override
	public void onRefused(String queue, String uid, String reason) {
		count(queue, "refused", 1);
	}

	private void count(String queue, String outcome, int count) {
		this.registry
			.counter("redelay.queue.inlet", QueueTags.QUEUE, GroupName.lowCardinality(queue), "outcome", outcome)
			.increment(count);
	}

}
