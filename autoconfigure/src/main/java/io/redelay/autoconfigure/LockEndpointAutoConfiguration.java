package io.redelay.autoconfigure;

import io.redelay.lock.LockAdmin;
import io.redelay.queue.actuate.EndpointHints;
import io.redelay.queue.actuate.LockReads;
import io.redelay.queue.actuate.LocksEndpoint;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ImportRuntimeHints;

/**
 * Auto-configuration for the endpoint of the actuator that shows locks, with queues or
 * without. It is not there unless the application exposes it:
 * {@code management.endpoints.web.exposure.include=locks}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { LockAutoConfiguration.class, QueueAutoConfiguration.class },
		afterName = "org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration")
@ConditionalOnClass({ Endpoint.class, ConditionalOnAvailableEndpoint.class, LocksEndpoint.class, LockAdmin.class })
@ConditionalOnBean(LockAdmin.class)
@ImportRuntimeHints(EndpointHints.class)
public final class LockEndpointAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	@ConditionalOnAvailableEndpoint
	LocksEndpoint locksEndpoint(LockAdmin admin) {
		return new LocksEndpoint(new LockReads(admin));
	}

}
