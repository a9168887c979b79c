package io.redelay.queue.observation;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.redelay.queue.event.QueueEvents;

/**
 * Counts the events of messages that were dropped.
 *
 * @since 0.1.0
 */
public final class MicrometerQueueEvents {

	/**
	 * Registers the counters.
	 * @param registry the registry
	 * @param events knows how many were dropped
	 */
	public MicrometerQueueEvents(MeterRegistry registry, QueueEvents events) {
		FunctionCounter.builder("redelay.events.dropped", events, QueueEvents::dropped)
			.tag("for", "listeners")
			.register(registry);
		FunctionCounter.builder("redelay.events.dropped", events, QueueEvents::droppedFromFeed)
			.tag("for", "feed")
			.register(registry);
	}

}
