package io.redelay.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.redelay.queue.inlet.InletTakeover;
import io.redelay.queue.observation.MicrometerInletListener;
import io.redelay.queue.send.QueueTemplate;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.redis.AdminScripts;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The part of the queue's auto-configuration for inlets.
 */
@Configuration(proxyBeanMethods = false)
class QueueInletConfiguration {

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	InletTakeover inletTakeover(QueueServerFactory servers, ObjectProvider<QueueTemplate> template,
			DelayQueueStore store, AdminScripts adminStore) {
		return servers.inlets(store, adminStore, () -> template.getIfUnique(() -> servers.template(store, adminStore)));
	}

	/**
	 * Counts entries if there is a meter registry.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterRegistry.class)
	@ConditionalOnBean(MeterRegistry.class)
	@ConditionalOnBooleanProperty(name = QueueMetricsAutoConfiguration.ENABLED, matchIfMissing = true)
	static class MetricsConfiguration {

		@Bean
		@ConditionalOnMissingBean
		MicrometerInletListener micrometerInletListener(MeterRegistry registry) {
			return new MicrometerInletListener(registry);
		}

	}

}
