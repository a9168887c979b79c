package io.redelay.autoconfigure;

import java.util.List;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the MDC.
 *
 * @param enabled Whether the MDC of a handler's thread holds queue, id and attempt of the
 * message and the listener.
 * @param keys Entries of the sender's MDC that its messages carry to their handlers.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.queue.mdc")
record QueueMdcProperties(@DefaultValue("true") boolean enabled, @DefaultValue List<String> keys) {

	/**
	 * Checks the values.
	 */
	public QueueMdcProperties {
		if (keys.stream().anyMatch(String::isBlank)) {
			throw new IllegalArgumentException("'redelay.queue.mdc.keys' must not have blank names: " + keys);
		}
	}

}
