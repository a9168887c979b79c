package io.redelay.queue.config;

import java.util.Locale;
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

}
