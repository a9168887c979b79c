package io.redelay.queue.config;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * The values that are declared for a listener of one queue.
 *
 * @param attributes the attributes of the listener
 * @param queue the name of the queue
 * @param ofAnnotation the values of the attributes
 * @param defaults the values of the queue, and those of all listeners
 */
record DeclaredValues(ListenerAttributes attributes, String queue, ListenerValues ofAnnotation,
		ListenerDefaults defaults) {

	ListenerValues ofQueue() {
		return this.defaults.queue(this.queue);
	}

	/**
	 * Returns a value from the first place that declares it: the configuration of the
	 * queue, which overrides the annotation, the annotation, or the configuration of all
	 * listeners.
	 */
	<T> ConfiguredValue<T> first(String attribute, Function<ListenerValues, @Nullable T> property) {
		T ofQueue = property.apply(ofQueue());
		if (ofQueue != null) {
			return new ConfiguredValue<>(ofQueue, attribute, ConfiguredValue.ofQueue(this.queue, attribute));
		}
		T ofAnnotation = property.apply(this.ofAnnotation);
		T ofAll = property.apply(this.defaults.listener());
		return (ofAnnotation != null || ofAll == null) ? new ConfiguredValue<>(ofAnnotation, attribute, attribute)
				: new ConfiguredValue<>(ofAll, attribute, ConfiguredValue.ofAll(attribute));
	}

}
