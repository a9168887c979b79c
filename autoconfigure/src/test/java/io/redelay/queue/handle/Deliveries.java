package io.redelay.queue.handle;

import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.scheduling.Scheduler;

/**
 * Builds what deliveries of a test share.
 */
public final class Deliveries {

	private Deliveries() {
	}

	/**
	 * Gives the context of deliveries whose failures no policy decides about.
	 */
	public static DeliveryContext context(String queue, String partition, Scheduler clock) {
		return new DeliveryContext(queue, partition, "test", new EnvelopeCodec(),
				new DeliveryContext.Failures(null, null, new EarlyStops("test")), clock, Completions.NONE);
	}

	/**
	 * Gives whether the handler may be called for a delivery, which is settled otherwise.
	 */
	public static boolean opens(Delivery delivery) {
		return delivery.settlement().open();
	}

}
