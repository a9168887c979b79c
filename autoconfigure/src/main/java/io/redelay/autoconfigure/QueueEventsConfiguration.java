package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.List;

import io.micrometer.core.instrument.MeterRegistry;
import io.redelay.queue.claim.ContainerIdleWatch;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.event.QueueEvents;
import io.redelay.queue.event.engine.QueueEventsTemplate;
import io.redelay.queue.observation.MicrometerQueueEvents;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.EventFeed;
import io.redelay.scheduling.QueueThreads;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.Assert;

/**
 * The part of the queue's auto-configuration for the events of messages.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "redelay.events.enabled", matchIfMissing = true)
@EnableConfigurationProperties(RedelayEventsProperties.class)
class QueueEventsConfiguration {

	@Bean
	@ConditionalOnMissingBean(value = QueueEvents.class, search = SearchStrategy.CURRENT)
	QueueEventsTemplate queueEvents(ApplicationContext context, ScriptObservers observers, QueueScripts store,
			AdminScripts adminStore, RedelayEventsProperties properties, RedelayQueueProperties queueProperties,
			QueueThreads threads) {
		EventFeed feed = new EventFeed(adminStore.runner(), properties.feed().maxBatches());
		return new QueueEventsTemplate(context, observers, feed, store.instance(),
				properties.toSettings(queueProperties.toInstanceName()), threads.scheduler());
	}

	@Bean
	@ConditionalOnProperty("redelay.events.listener-idle-after")
	ContainerIdleWatch containerIdleWatch(ObjectProvider<QueueListenerEndpointRegistry> registry,
			RedelayEventsProperties properties, ApplicationEventPublisher publisher, QueueThreads threads) {
		Duration idleAfter = properties.listenerIdleAfter();
		Assert.state(idleAfter != null, "'redelay.events.listener-idle-after' must not be empty");
		QueueListenerEndpointRegistry containers = registry.getIfAvailable();
		return new ContainerIdleWatch(() -> (containers != null) ? containers.getContainers() : List.of(), idleAfter,
				publisher, threads.scheduler());
	}

	/**
	 * Counts dropped events if there is a meter registry.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterRegistry.class)
	@ConditionalOnBean(MeterRegistry.class)
	@ConditionalOnBooleanProperty(name = RedelayMetricsProperties.ENABLED, matchIfMissing = true)
	static class MetricsConfiguration {

		@Bean
		@ConditionalOnMissingBean
		MicrometerQueueEvents micrometerQueueEvents(MeterRegistry registry, QueueEvents events) {
			return new MicrometerQueueEvents(registry, events);
		}

	}

}
