package io.redelay.queue.observation;

import java.time.Duration;
import java.util.Locale;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.redelay.queue.event.RedisRolledBackEvent;
import io.redelay.queue.invariant.Invariant;
import io.redelay.queue.invariant.InvariantListener;
import io.redelay.queue.limits.GroupName;
import io.redelay.queue.listener.DuplicateListener;
import io.redelay.queue.listener.InletListener;
import io.redelay.queue.recurring.RecurringEvent;
import io.redelay.queue.work.DeliveryInfo;

import org.springframework.context.event.EventListener;

/**
 * Counts by queue what is rare: roll-backs of Redis, duplicates, entries of inlets, ticks
 * of recurring messages that are not as planned, and violations of Redelay's own
 * invariants.
 *
 * @since 0.1.0
 */
public final class MicrometerQueueListener implements DuplicateListener, InletListener, InvariantListener {

	private final MeterRegistry registry;

	/**
	 * Creates a listener.
	 * @param registry the registry
	 */
	public MicrometerQueueListener(MeterRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Counts a roll-back, the requests that were repeated then, and those that are known
	 * to be missing, by the kind of lane.
	 * @param event the event
	 */
	@EventListener
	public void onRollback(RedisRolledBackEvent event) {
		Tags tags = tags(event.queue(), "lane", event.lane());
		count("redelay.redis.rolled-back", tags, 1);
		count("redelay.redis.repeated", tags, event.repeated());
		count("redelay.redis.given-back", tags, event.givenBack());
		count("redelay.redis.missing", tags, event.missing());
	}

	/**
	 * Counts ticks that are not as planned, by name and by what happened.
	 * @param event the event
	 */
	@EventListener
	public void onRecurringEvent(RecurringEvent event) {
		count("redelay.recurring.events", Tags.of(QueueTags.QUEUE, event.queue(), "recurring", event.name(), "event",
				event.kind().name().toLowerCase(Locale.ROOT)), event.count());
	}

	@Override
	public void onDuplicate(DeliveryInfo delivery) {
		duplicate(delivery, QueueProcessContext.DUPLICATE);
	}

	@Override
	public void onPostponed(DeliveryInfo delivery, Duration delay) {
		duplicate(delivery, QueueProcessContext.POSTPONED);
	}

	private void duplicate(DeliveryInfo delivery, String outcome) {
		count("redelay.queue.duplicates", tags(delivery.queue(), "outcome", outcome), 1);
	}

	@Override
	public void onTaken(String queue, int count) {
		count("redelay.queue.inlet", tags(queue, "outcome", "taken"), count);
	}

	@Override
	public void onRefused(String queue, String uid, String reason) {
		count("redelay.queue.inlet", tags(queue, "outcome", "refused"), 1);
	}

	@Override
	public void violated(String queue, Invariant invariant) {
		count("redelay.queue.invariant.violations", Tags.of(QueueTags.QUEUE, queue, "what", invariant.label()), 1);
	}

	private static Tags tags(String queue, String name, String value) {
		return Tags.of(QueueTags.QUEUE, GroupName.lowCardinality(queue), name, value);
	}

	private void count(String name, Tags tags, long count) {
		this.registry.counter(name, tags).increment((double) count);
	}

}
