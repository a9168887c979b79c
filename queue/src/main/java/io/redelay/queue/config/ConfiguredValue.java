package io.redelay.queue.config;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * A setting of a listener, and where it was declared, which is where it has to be
 * corrected.
 *
 * @param value the value, or {@code null} if it is declared nowhere
 * @param name the name by which settings that are refused name it
 * @param attribute the attribute of the annotation, or the property if that declares the
 * value
 */
record ConfiguredValue<T>(@Nullable T value, String name, String attribute) {

	private static final String OF_ALL = "redelay.queue.listener.";

	private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9-]+");

	/**
	 * The property of one queue.
	 */
	static String ofQueue(String queue, String name) {
		return "redelay.queue.queues" + (PLAIN.matcher(queue).matches() ? "." + queue : "[" + queue + "]") + "."
				+ property(name);
	}

	/**
	 * The property of all listeners.
	 */
	static String ofAll(String name) {
		return OF_ALL + property(name);
	}

	/**
	 * The name that an attribute has among properties.
	 */
	static String property(String name) {
		String group = switch (name) {
			case "initialInterval", "multiplier", "maxInterval", "jitter" -> "backoff.";
			default -> "";
		};
		return group + name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
	}

	static boolean isProperty(@Nullable String attribute) {
		return attribute != null && attribute.startsWith("redelay.");
	}

	/**
	 * Returns whether the value is that of the configuration of all listeners.
	 */
	boolean isOfAll() {
		return this.attribute.startsWith(OF_ALL);
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
	static <T> T checked(QueueListenerEndpoint endpoint, Supplier<T> settings, ConfiguredValue<?>... sources) {
		try {
			return settings.get();
		}
		catch (IllegalArgumentException ex) {
			String message = String.valueOf(ex.getMessage());
			String name = message.startsWith("'") ? message.substring(1, message.indexOf('\'', 1)) : null;
			String said = Arrays.stream(sources)
				.filter((each) -> each.name().equals(name))
				.map(ConfiguredValue::attribute)
				.findFirst()
				.orElse(name);
			boolean property = isProperty(said);
			throw endpoint.invalid(said, property ? message.replace("'" + name + "'", "'" + said + "'") : message,
					property ? "Correct the property" : "Correct the annotation", ex);
		}
	}

}
