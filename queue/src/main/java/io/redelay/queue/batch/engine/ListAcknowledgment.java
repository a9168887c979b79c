package io.redelay.queue.batch.engine;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.redelay.queue.Acknowledgment;
import io.redelay.queue.handle.BatchSettlement;
import io.redelay.queue.handle.Delivery;

/**
 * Settles several messages together.
 */
class ListAcknowledgment implements Acknowledgment {

	private final List<Delivery> deliveries;

	ListAcknowledgment(List<Delivery> deliveries) {
		this.deliveries = deliveries;
	}

	public final List<Delivery> deliveries() {
		return this.deliveries;
	}

	@Override
	public void acknowledge() {
		settle(Delivery::acknowledge);
	}

	@Override
	public void nack() {
		settle(Delivery::nack);
	}

	@Override
	public void nack(Duration delay) {
		settle((delivery) -> delivery.nack(delay));
	}

	@Override
	public void reject(String reason) {
		settle((delivery) -> delivery.reject(reason));
	}

	@Override
	public boolean isCancelled() {
		return !this.deliveries.isEmpty() && this.deliveries.stream().allMatch(Delivery::isCancelled);
	}

	private void settle(Consumer<Delivery> settlement) {
		BatchSettlement.settleTogether(this.deliveries, settlement);
	}

}
