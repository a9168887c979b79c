package io.redelay.outbox;

import io.micrometer.core.instrument.MeterRegistry;

/**
 * Counts the messages that the relays of this instance sent or failed to send, by
 * destination.
 *
 * @since 0.1.0
 */
public final class MicrometerOutboxListener implements OutboxListener {

	private final MeterRegistry registry;

	/**
	 * Creates a listener.
	 * @param registry where to count
	 */
	public MicrometerOutboxListener(MeterRegistry registry) {
		this.registry = registry;
	}

	@Override
	public void onRelayed(String destination, int count) {
		this.registry.counter("redelay.outbox.relayed", "destination", destination).increment(count);
	}

	@Override
	public void onFailed(String destination, int count, Throwable failure) {
		this.registry.counter("redelay.outbox.failures", "destination", destination).increment(count);
	}

}
