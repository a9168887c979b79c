package io.redelay.queue.config;

import java.util.Arrays;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A setting of a listener and where it was said, which is where it has to be corrected.
 *
 * @param value the value, or {@code null} if it is said nowhere
 * @param attribute the attribute of the annotation, and the properties if they said it
 */
record Sourced<T>(@Nullable T value, String attribute) {

	/**
	 * What the configuration says of single queues goes before all else.
	 */
	static final String OF_QUEUE = " (from redelay.queue.queues)";

	static final String OF_ALL = " (from redelay.queue.listener)";

	/**
	 * Chooses the first that says something: the configuration of the queue, the
	 * annotation, or the configuration of all listeners.
	 */
	static <T> Sourced<T> first(String attribute, @Nullable T ofQueue, @Nullable T ofAnnotation, @Nullable T ofAll) {
		if (ofQueue != null) {
			return new Sourced<>(ofQueue, attribute + OF_QUEUE);
		}
		return (ofAnnotation != null || ofAll == null) ? new Sourced<>(ofAnnotation, attribute)
				: new Sourced<>(ofAll, attribute + OF_ALL);
	}

	T or(T otherwise) {
		return (this.value != null) ? this.value : otherwise;
	}

	/**
	 * Makes settings that check themselves, and name the attribute in quotes at the
	 * beginning of what they say.
	 * @param settings makes them
	 * @param sources where the attributes were said
	 */
	static <T> T checked(QueueListenerEndpoint endpoint, Supplier<T> settings, Sourced<?>... sources) {
		try {
			return settings.get();
		}
		catch (IllegalArgumentException ex) {
			String message = String.valueOf(ex.getMessage());
			String attribute = message.startsWith("'") ? message.substring(1, message.indexOf('\'', 1)) : null;
			String said = Arrays.stream(sources)
				.map(Sourced::attribute)
				.filter((each) -> each.equals(attribute) || each.startsWith(attribute + " ("))
				.findFirst()
				.orElse(attribute);
			throw new InvalidQueueListenerException(endpoint.beanName(), endpoint.method(), said, message,
					(said != null && said.endsWith(")")) ? "Correct the property" : "Correct the annotation", ex);
		}
	}

}
