package io.redelay.queue.config;

import java.util.Map;

/**
 * What holds for all listeners where their annotation says nothing, and what holds for
 * single queues whatever it says.
 *
 * @param listener for all listeners
 * @param queues for single queues, by name
 * @since 0.1.0
 */
public record ListenerDefaults(ListenerValues listener, Map<String, ListenerValues> queues) {

	ListenerValues queue(String name) {
		return this.queues.getOrDefault(name, ListenerValues.NONE);
	}

}
