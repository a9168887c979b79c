package io.redelay.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Properties of the health indicators of queues and of Redis.
 *
 * @param maxSilence How long claims of a listener may be unanswered before it is DOWN.
 * @param memoryThreshold The part of its memory that Redis may use before it is DEGRADED,
 * from 0 to 1.
 * @param interval How long an answer of Redis is reused.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.health")
record RedelayHealthProperties(@DefaultValue("30s") Duration maxSilence, @DefaultValue("0.8") double memoryThreshold,
		@DefaultValue("10s") Duration interval) {

	/**
	 * Checks the values.
	 */
	public RedelayHealthProperties {
		PropertyBounds.atLeast("redelay.health.max-silence", maxSilence, Duration.ofSeconds(1));
		PropertyBounds.atLeast("redelay.health.interval", interval, Duration.ofSeconds(1));
		Assert.isTrue(memoryThreshold > 0 && memoryThreshold <= 1,
				() -> "'redelay.health.memory-threshold' must be above 0 and at most 1: " + memoryThreshold);
	}

}
