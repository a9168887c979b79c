package io.redelay.autoconfigure;

import java.time.Duration;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the events of queues in trouble, which there are if a bean listens.
 *
 * @param interval How often one instance of the application looks at all queues.
 * @param hold How long trouble must last before it is reported, and how long it must be
 * gone before its end is.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.trouble")
record RedelayTroubleProperties(@DefaultValue("10s") Duration interval, @DefaultValue("30s") Duration hold) {

	/**
	 * Checks the values.
	 */
	public RedelayTroubleProperties {
		PropertyBounds.atLeast("redelay.trouble.interval", interval, Duration.ofSeconds(1));
		PropertyBounds.atLeast("redelay.trouble.hold", hold, Duration.ZERO);
	}

}
