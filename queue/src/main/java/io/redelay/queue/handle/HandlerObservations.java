package io.redelay.queue.handle;

import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.measure.Handling;
import io.redelay.queue.measure.QueueMeters;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.observation.GuardedObservation;
import io.redelay.queue.observation.QueueObservation;
import io.redelay.queue.observation.QueueProcessContext;
import io.redelay.queue.observation.QueueProcessConvention;
import org.jspecify.annotations.Nullable;

/**
 * Observes the handler of one listener, and counts the messages that it has handled.
 *
 * @param listener the id of the listener
 * @param registry the registry of observations
 * @param convention names the observations, or {@code null} for the usual names
 * @param meters count each handling
 */
record HandlerObservations(String listener, ObservationRegistry registry, @Nullable QueueProcessConvention convention,
		QueueMeters meters) {

	/**
	 * Starts the observation of a handler invocation.
	 * @param deliveries its deliveries; the observation names the first
	 */
	GuardedObservation start(List<Delivery> deliveries) {
		if (this.registry.isNoop()) {
			return GuardedObservation.NONE;
		}
		Delivery first = deliveries.get(0);
		QueueProcessContext context = new QueueProcessContext(first.queue(), first.id(), this.listener,
				deliveries.stream().map((delivery) -> delivery.envelope().headers()).toList(),
				deliveries.stream()
					.map((delivery) -> delivery.claim().firstAttempt())
					.filter(Objects::nonNull)
					.toList());
		GuardedObservation started = GuardedObservation.start(() -> QueueObservation.PROCESS
			.observation(this.convention, new QueueProcessConvention(), () -> context, this.registry));
		String trace = context.getTrace();
		if (trace != null) {
			deliveries.forEach((delivery) -> delivery.claim().tracedAs(trace));
		}
		return started;
	}

	/**
	 * Records the messages of an invocation, if there are meters.
	 * @param deliveries the messages
	 * @param start when the handler was called, by the clock of the container
	 * @param nanos how long the handling took
	 * @param outcomes how the handling of the message at a position ended; {@code null}
	 * if the message is handled once more, alone
	 */
	void record(List<Delivery> deliveries, long start, long nanos, IntFunction<@Nullable String> outcomes) {
		if (this.meters.isEmpty()) {
			return;
		}
		for (int position = 0; position < deliveries.size(); position++) {
			String outcome = outcomes.apply(position);
			if (outcome != null) {
				Delivery delivery = deliveries.get(position);
				Envelope envelope = delivery.claim().envelope();
				Handling handling = new Handling(delivery.claim().context().partition(), this.listener,
						envelope.handling().payloadType(), outcome, wait(delivery.claim(), start),
						nanos / deliveries.size());
				this.meters.handled(handling);
			}
		}
	}

	/**
	 * Returns how long a message waited. A message that is given back keeps its due time;
	 * after a failure it has another one, which is not in its envelope.
	 */
	private static long wait(DeliveryClaim claim, long start) {
		return (claim.attempt() > 1) ? Handling.UNKNOWN : Math.max(0, claim.millisSinceDue(start));
	}

}
