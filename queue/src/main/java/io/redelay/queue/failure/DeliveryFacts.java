package io.redelay.queue.failure;

import java.time.Instant;

import io.redelay.queue.message.Envelope;
import io.redelay.queue.work.DeliveryInfo;
import org.jspecify.annotations.Nullable;

/**
 * The known facts of a delivery when its failure is decided about.
 *
 * @param queue the name of the queue
 * @param uid the store's identifier of the message
 * @param claim the number of the claim, which a settlement repeats
 * @param failures how often the handling failed before
 * @param crashes how often an instance died while it handled the message as its suspect
 * @param envelope the envelope, or {@code null} if it was not read, or is unreadable
 * @param time the time by the clock of the store, or a little earlier
 * @since 0.1.0
 */
public record DeliveryFacts(String queue, String uid, long claim, int failures, int crashes,
		@Nullable Envelope envelope, Instant time) {

	/**
	 * Returns the identifier that the sender gave the message.
	 * @return the identifier, or the {@link #uid()} if there is none or it is not known
	 */
	public String id() {
		return (this.envelope != null && this.envelope.id() != null) ? this.envelope.id() : this.uid;
	}

	/**
	 * Returns the facts as handlers and listeners for retries get them.
	 * @return the information; without the envelope its times are {@link Instant#EPOCH}
	 */
	public DeliveryInfo info() {
		return new DeliveryInfo(this.queue, id(), this.uid, this.failures + this.crashes + 1, this.failures,
				this.crashes, (this.envelope != null) ? this.envelope.sentAt() : Instant.EPOCH,
				(this.envelope != null) ? this.envelope.dueAt() : Instant.EPOCH);
	}

	@Override
	public String toString() {
		return "message '" + id() + "' of the queue '" + this.queue + "'";
	}

}
