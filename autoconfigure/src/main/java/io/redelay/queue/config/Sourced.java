package io.redelay.queue.config;

import java.util.Arrays;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A setting of a listener, and where it was declared, which is where it has to be
 * corrected.
 *
 * @param value the value, or {@code null} if it is declared nowhere
 * @param attribute the attribute of the annotation; followed by the properties if they
 * declare the value
 */
record Sourced<T>(@Nullable T value, String attribute) {

	/**
	 * The configuration of single queues overrides the annotation.
	 */
	static final String OF_QUEUE = " (from redelay.queue.queues)";

	static final String OF_ALL = " (from redelay.queue.listener)";

	/**
	 * Chooses the first declared value: that of the queue's configuration, of the
	 * annotation, or of the configuration of all listeners.
	 */
	static <T> Sourced<T> first(String attribute, @Nullable T ofQueue, @Nullable T ofAnnotation, @Nullable T ofAll) {
		if (ofQueue != null) {
			return new Sourced<>(ofQueue, attribute + OF_QUEUE);
		}
		return (ofAnnotation != null || ofAll == null) ? new Sourced<>(ofAnnotation, attribute)
				: new Sourced<>(ofAll, attribute + OF_ALL);
	}

	/**
	 * Tells whether the value is that of the configuration of all listeners.
	 */
	boolean isOfAll() {
		return this.attribute.endsWith(OF_ALL);
	}

	T or(T otherwise) {
		return (this.value != null) ? this.value : otherwise;
	}

	/**
	 * Creates settings that validate themselves. The message of their exception begins
	 * with the name of the attribute in quotes.
	 * @param settings creates them
	 * @param sources the attributes and where they were declared
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
			throw endpoint.invalid(said, message,
					(said != null && said.endsWith(")")) ? "Correct the property" : "Correct the annotation", ex);
		}
	}

}
