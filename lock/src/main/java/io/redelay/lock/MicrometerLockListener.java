package io.redelay.lock;

import java.util.Locale;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;

/**
 * Measures how long callers wait for locks and how long they hold them, and counts the
 * events, by the templates of the locks' names.
 *
 * @since 0.1.0
 */
public final class MicrometerLockListener implements LockListener {

	private final MeterRegistry registry;

	/**
	 * Creates a listener.
	 * @param registry where to count
	 */
	public MicrometerLockListener(MeterRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void onLockEvent(LockEvent event) {
		String outcome = event.type().name().toLowerCase(Locale.ROOT);
		Tags tags = Tags.of("name", event.label(), "outcome", outcome);
		this.registry.timer(event.type().endsWait() ? "redelay.lock.wait" : "redelay.lock.hold", tags)
			.record(event.elapsed());
		this.registry.counter("redelay.lock.outcomes", tags).increment();
	}

}
