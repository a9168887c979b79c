package io.redelay.queue.observation;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.redelay.queue.event.RedisRolledBackEvent;
import io.redelay.queue.limits.GroupName;

import org.springframework.context.event.EventListener;

/**
 * Counts how often Redis went back in time, how many requests were repeated then, and how
 * many are known to be missing, by queue and by the kind of lane.
 *
 * @since 0.1.0
 */
public final class MicrometerRollbackListener {

	private final MeterRegistry registry;

	/**
	 * Creates a listener.
	 * @param registry the registry
	 */
	public MicrometerRollbackListener(MeterRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Counts an event.
	 * @param event the event
	 */
	@EventListener
	public void onRollback(RedisRolledBackEvent event) {
		Tags tags = Tags.of(QueueTags.QUEUE, GroupName.lowCardinality(event.queue()), "lane", event.lane());
		this.registry.counter("redelay.redis.rolled-back", tags).increment();
		this.registry.counter("redelay.redis.repeated", tags).increment((double) event.repeated());
		this.registry.counter("redelay.redis.given-back", tags).increment((double) event.givenBack());
		this.registry.counter("redelay.redis.missing", tags).increment((double) event.missing());
	}

}
