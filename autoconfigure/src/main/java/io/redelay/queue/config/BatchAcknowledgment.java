package io.redelay.queue.config;

import java.time.Duration;
import java.util.List;

import io.redelay.queue.Acknowledgment;
import io.redelay.queue.listener.Delivery;

/**
 * Settles all messages of a batch.
 */
record BatchAcknowledgment(List<Delivery> deliveries) implements Acknowledgment {

	@Override
	public void acknowledge() {
		Delivery.settleTogether(this.deliveries, Delivery::acknowledge);
	}

	@Override
	public void nack() {
		Delivery.settleTogether(this.deliveries, Delivery::nack);
	}

	@Override
	public void nack(Duration delay) {
		Delivery.settleTogether(this.deliveries, (delivery) -> delivery.nack(delay));
	}

	@Override
	public void reject(String reason) {
		Delivery.settleTogether(this.deliveries, (delivery) -> delivery.reject(reason));
	}

	@Override
	public boolean isCancelled() {
		return this.deliveries.stream().allMatch(Delivery::isCancelled);
	}

}
