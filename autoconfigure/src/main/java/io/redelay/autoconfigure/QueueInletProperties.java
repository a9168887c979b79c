package io.redelay.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of inlets.
 *
 * @param pollInterval How often an instance looks into the inlets of its queues.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.queue.inlet")
record QueueInletProperties(@DefaultValue("1s") Duration pollInterval) {

	/**
	 * Checks the values.
	 */
	public QueueInletProperties {
		PropertyBounds.atLeast("redelay.queue.inlet.poll-interval", pollInterval, Duration.ofMillis(10));
	}

}
