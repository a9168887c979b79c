package io.redelay.autoconfigure;

import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.observation.QueueClaimTracer;
import io.redelay.queue.observation.QueueTracingHandler;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;

/**
 * Auto-configuration for the traces of messages, if there is a tracer.
 *
 * @since 0.1.0
 */
// After Spring Boot's own handlers, one of which is of the same type and would stay away.
@AutoConfiguration(
		afterName = "org.springframework.boot.micrometer.tracing.autoconfigure.MicrometerTracingAutoConfiguration")
@ConditionalOnClass({ Tracer.class, ObservationRegistry.class, QueueOperations.class })
@ConditionalOnBean({ Tracer.class, Propagator.class })
@ConditionalOnBooleanProperty(name = "redelay.queue.enabled", matchIfMissing = true)
@EnableConfigurationProperties(RedelayTracingProperties.class)
public final class QueueTracingAutoConfiguration {

	/**
	 * Before Spring Boot's handlers for all that is received and sent, at 1,000 and
	 * 2,000.
	 */
	private static final int ORDER = 900;

	@Bean
	@ConditionalOnMissingBean
	@ConditionalOnBooleanProperty("redelay.tracing.claims")
	QueueClaimTracer queueClaimTracer(Tracer tracer) {
		return new QueueClaimTracer(tracer);
	}

	@Bean
	@ConditionalOnMissingBean
	@Order(ORDER)
	QueueTracingHandler queueTracingHandler(Tracer tracer, Propagator propagator) {
		return new QueueTracingHandler(tracer, propagator);
	}

}
