package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.Map;

import io.redelay.queue.config.DeadLetterDefaults;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Properties of dead messages.
 *
 * @param maxCount How many dead messages of a queue are kept. The oldest ones are
 * removed.
 * @param maxAge How long dead messages are kept.
 * @param maxBytes Total size of the dead messages of a queue that are kept, the data of
 * their attempts included. By default any size.
 * @param redrive When dead messages are redriven automatically: for all queues, if it has
 * a delay or a cron expression.
 * @since 0.1.0
 */
public record QueueDeadLettersProperties(@DefaultValue("10000") long maxCount, @DefaultValue("30d") Duration maxAge,
		@Nullable DataSize maxBytes, @NestedConfigurationProperty @DefaultValue QueueRedriveProperties redrive) {

	/**
	 * Checks the values.
	 */
	public QueueDeadLettersProperties {
		PropertyBounds.ofKept("redelay.queue.dead-letters", maxCount, maxAge, maxBytes);
	}

	DeadLetterDefaults toDefaults(Map<String, DeadLetterDefaults.OfQueue> queues) {
		return new DeadLetterDefaults(this.maxCount, this.maxAge,
				(this.maxBytes != null) ? this.maxBytes.toBytes() : null,
				this.redrive.toRule("redelay.queue.dead-letters.redrive"), queues);
	}

}
