package io.redelay.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of all recurring messages.
 *
 * @param dropAfter How long a recurring message continues after all declaring instances
 * have ended.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.queue.recurrence")
record QueueRecurrenceProperties(@DefaultValue("5m") Duration dropAfter) {

	/**
	 * Checks the values.
	 */
	public QueueRecurrenceProperties {
		PropertyBounds.atLeast("redelay.queue.recurrence.drop-after", dropAfter, Duration.ofSeconds(1));
	}

}
