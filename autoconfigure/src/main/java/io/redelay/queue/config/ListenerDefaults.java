package io.redelay.queue.config;

import java.util.Map;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * What holds for all listeners where their annotation says nothing, and what holds for
 * single queues whatever it says.
 *
 * @param listener for all listeners
 * @param queues for single queues, by name
 * @param deadLetters for dead messages
 * @since 0.1.0
 */
public record ListenerDefaults(ListenerValues listener, Map<String, ListenerValues> queues,
		DeadLetterDefaults deadLetters) {

	/**
	 * Finds a value where it is said first: for the queue, in the annotation, or for all
	 * listeners.
	 */
	<T> Sourced<T> first(String queue, String attribute, @Nullable T ofAnnotation,
			Function<ListenerValues, @Nullable T> property) {
		return Sourced.first(attribute, property.apply(queue(queue)), ofAnnotation, property.apply(this.listener));
	}

	ListenerValues queue(String name) {
		return this.queues.getOrDefault(name, ListenerValues.NONE);
	}

}
