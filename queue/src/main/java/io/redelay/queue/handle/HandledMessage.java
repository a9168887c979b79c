package io.redelay.queue.handle;

import java.time.Instant;

import io.redelay.queue.notes.CheckpointConverter;
import io.redelay.queue.work.CancellationToken;
import io.redelay.queue.work.Checkpoint;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.queue.work.MessageDelivery;
import io.redelay.queue.work.RecurringState;
import org.jspecify.annotations.Nullable;

/**
 * A delivery as its handler sees it.
 *
 * @since 0.1.0
 */
public record HandledMessage(Delivery delivery, CheckpointConverter checkpoints) implements MessageDelivery {

	@Override
	public DeliveryInfo info() {
		return this.delivery.info();
	}

	@Override
	public CancellationToken cancellation() {
		return this.delivery.cancellation();
	}

	@Override
	public @Nullable Instant deadline() {
		return this.delivery.claim().deadline();
	}

	@Override
	public void progress(double fraction) {
		this.delivery.notes().progress(fraction, null);
	}

	@Override
	public void progress(double fraction, @Nullable String text) {
		this.delivery.notes().progress(fraction, text);
	}

	@Override
	public void log(String line) {
		this.delivery.notes().log(line);
	}

	@Override
	public <T> Checkpoint<T> checkpoint(Class<T> type) {
		return this.delivery.checkpoint(this.checkpoints, type);
	}

	@Override
	public <T> RecurringState<T> recurringState(Class<T> type) {
		return this.delivery.recurringState(this.checkpoints, type);
	}

	@Override
	public String toString() {
		return this.delivery.toString();
	}

}
