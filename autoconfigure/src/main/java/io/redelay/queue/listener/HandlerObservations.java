package io.redelay.queue.listener;

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
 * @param registry observes
 * @param convention names the observations, or {@code null} for the usual names
 */
record HandlerObservations(String listener, ObservationRegistry registry, @Nullable QueueProcessConvention convention) {

	/**
	 * Starts the observation of a handler invocation.
	 * @param first the first of its deliveries, which the observation names
	 */
	GuardedObservation start(Delivery first) {
		if (this.registry.isNoop()) {
			return GuardedObservation.NONE;
		}
		return GuardedObservation
			.start(() -> QueueObservation.PROCESS.observation(this.convention, new QueueProcessConvention(),
					() -> new QueueProcessContext(first.queue(), first.id(), this.listener, first.envelope().headers()),
					this.registry));
	}

}
