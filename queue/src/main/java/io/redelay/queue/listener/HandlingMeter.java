package io.redelay.queue.listener;

import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;

import io.redelay.queue.measure.Handling;
import io.redelay.queue.measure.QueueMeter;
import io.redelay.queue.store.Envelope;
import org.jspecify.annotations.Nullable;

/**
 * Records with a meter how the handling of the messages of one invocation ended.
 */
record HandlingMeter(QueueMeter meter, String listener) {

	/**
	 * Records the messages of an invocation.
	 * @param deliveries the messages
	 * @param nanos how long ago the handler was called
	 * @param outcomes how the handling of the message at a position ended; {@code null}
	 * if the message is handled once more, alone
	 */
	void tell(List<Delivery> deliveries, long nanos, IntFunction<@Nullable String> outcomes) {
		for (int position = 0; position < deliveries.size(); position++) {
			String outcome = outcomes.apply(position);
			if (outcome != null) {
				Delivery delivery = deliveries.get(position);
				Envelope envelope = delivery.claim().envelope();
				this.meter
					.handled(new Handling(delivery.owner().queue(), this.listener, envelope.handling().payloadType(),
							outcome, wait(delivery, envelope, nanos), nanos / deliveries.size()));
			}
		}
	}

	/**
	 * Returns how long a message waited. A message that is given back keeps its due time;
	 * after a failure it has another one, which is not in its envelope.
	 */
	private static long wait(Delivery delivery, Envelope envelope, long nanos) {
		return (delivery.claim().attempt() > 1) ? Handling.UNKNOWN : Math.max(0,
				Duration.between(envelope.dueAt(), delivery.claim().storeTime()).minusNanos(nanos).toMillis());
	}

}
