package io.redelay.queue.listener;

import java.util.List;
import java.util.Objects;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.observation.GuardedObservation;
import io.redelay.queue.observation.QueueObservation;
import io.redelay.queue.observation.QueueProcessContext;
import io.redelay.queue.observation.QueueProcessConvention;
import org.jspecify.annotations.Nullable;

/**
 * Observes the handler of one listener.
 *
 * @param listener the id of the listener
 * @param registry the registry of observations
 * @param convention names the observations, or {@code null} for the usual names
 */
record HandlerObservations(String listener, ObservationRegistry registry, @Nullable QueueProcessConvention convention) {

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

}
