package io.redelay.queue.listener;

import java.util.function.Consumer;

import io.redelay.queue.listener.deadletter.DeadLetterCourier;
import io.redelay.queue.store.Envelope;
import io.redelay.queue.store.Settlement;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Forwards a dead message to the dead-letter queue that its sender named, before its
 * settlement is sent. If that queue does not take it, it is kept in its own queue.
 */
final class DeadLetterHandOn {

	private static final Log logger = LogFactory.getLog(DeadLetterHandOn.class);

	private final DeadLetterCourier courier;

	private final DeliveryClaim claim;

	private final String target;

	private final Settlement burial;

	private DeadLetterHandOn(DeadLetterCourier courier, DeliveryClaim claim, String target, Settlement burial) {
		this.courier = courier;
		this.claim = claim;
		this.target = target;
		this.burial = burial;
	}

	/**
	 * Returns the forwarding to do before a settlement is sent, or {@code null} if the
	 * message does not die, or its sender named no queue.
	 */
	static @Nullable DeadLetterHandOn of(DeliveryClaim claim, Settlement decided) {
		if (decided.action() != Settlement.Action.BURY) {
			return null;
		}
		Envelope read = claim.envelopeIfRead();
		String target = (read != null) ? read.handling().deadLetterQueue() : null;
		DeadLetterCourier courier = claim.context().deadLetters();
		return (target != null && courier != null) ? new DeadLetterHandOn(courier, claim, target, decided) : null;
	}

	/**
	 * Forwards the message.
	 * @param settle called with the settlement to send afterwards
	 */
	void begin(Consumer<Settlement> settle) {
		this.courier
			.handOn(this.claim.queue(), this.claim.uid(), this.claim.envelope(), this.target, this.burial.cause(),
					this.claim.storeTime())
			.whenComplete((done, failure) -> {
				if (failure == null) {
					settle.accept(this.claim.context().completions().handedOn(this.claim, this.burial.cause()));
				}
				else {
					logger.warn("The " + this.claim + " could not be handed on to the queue '" + this.target
							+ "', and is kept among the dead messages of its own: " + failure.getMessage());
					settle.accept(this.burial);
				}
			});
	}

}
