package io.redelay.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * Properties of the Micrometer meters.
 *
 * @param enabled Whether there are meters of queues and locks, if there is a meter
 * registry.
 * @param gauges Whether there are gauges of each queue, for which Redis is queried while
 * they are read.
 * @param histograms Whether timers have histograms, from which a monitoring system
 * computes percentiles over all instances.
 * @param maxQueues How many queues have meters of their own. The others are counted
 * together.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.metrics")
record RedelayMetricsProperties(@DefaultValue("true") boolean enabled, @DefaultValue("true") boolean gauges,
		@DefaultValue("false") boolean histograms, @DefaultValue("1000") int maxQueues) {

	/**
	 * The name of the property that switches all of Redelay's meters off.
	 */
	static final String ENABLED = "redelay.metrics.enabled";

	/**
	 * Checks the values.
	 */
	public RedelayMetricsProperties {
		Assert.isTrue(maxQueues > 0, () -> "'redelay.metrics.max-queues' must be positive: " + maxQueues);
	}

}
