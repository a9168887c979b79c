package io.redelay.queue.config;

import java.time.Duration;
import java.util.List;

import io.redelay.queue.Acknowledgment;
import io.redelay.queue.listener.Delivery;

/**
 * Says of all messages of a batch what becomes of them.
 */
record BatchAcknowledgment(List<Delivery> deliveries) implements Acknowledgment {

	@Override
	public void acknowledge() {
		this.deliveries.forEach(Delivery::acknowledge);
	}

	@Override
	public void nack() {
		this.deliveries.forEach(Delivery::nack);
	}

	@Override
	public void nack(Duration delay) {
		this.deliveries.forEach((delivery) -> delivery.nack(delay));
	}

	@Override
	public void reject(String reason) {
		this.deliveries.forEach((delivery) -> delivery.reject(reason));
	}

}
