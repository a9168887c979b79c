package io.redelay.queue.observation;

import io.micrometer.core.instrument.MeterRegistry;
import io.redelay.queue.invariant.Invariant;
import io.redelay.queue.invariant.InvariantListener;

/**
 * Counts violations of Redelay's own invariants, by queue and by invariant.
 *
 * @since 0.1.0
 */
public final class MicrometerInvariantListener implements InvariantListener {

	private final MeterRegistry registry;

	/**
	 * Creates a listener.
	 * @param registry the registry
	 */
	public MicrometerInvariantListener(MeterRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void violated(String queue, Invariant invariant) {
		this.registry.counter("redelay.queue.invariant.violations", QueueTags.QUEUE, queue, "what", invariant.label())
			.increment();
	}

}
