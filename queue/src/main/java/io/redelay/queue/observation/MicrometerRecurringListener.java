package io.redelay.queue.observation;

import java.util.Locale;

import io.micrometer.core.instrument.MeterRegistry;
import io.redelay.queue.recurring.RecurringEvent;

import org.springframework.context.event.EventListener;

/**
 * Counts the ticks of recurring messages that are not as planned, by queue, name and what
 * happened.
 *
 * @since 0.1.0
 */
public final class MicrometerRecurringListener {

	private final MeterRegistry registry;

	/**
	 * Creates a listener.
	 * @param registry the registry
	 */
	public MicrometerRecurringListener(MeterRegistry registry) {
		this.registry = registry;
	}

	/**
	 * Counts an event.
	 * @param event the event
	 */
	@EventListener
	public void onRecurringEvent(RecurringEvent event) {
		this.registry
			.counter("redelay.recurring.events", QueueTags.QUEUE, event.queue(), "recurring", event.name(), "event",
					event.kind().name().toLowerCase(Locale.ROOT))
			.increment(event.count());
	}

}
