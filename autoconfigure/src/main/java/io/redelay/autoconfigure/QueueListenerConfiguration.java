package io.redelay.autoconfigure;

import java.time.Duration;

import io.redelay.queue.QueueListeners;
import io.redelay.queue.QueueReceiver;
import io.redelay.queue.admin.engine.InstanceAnnouncer;
import io.redelay.queue.config.QueueListenerAnnotationBeanPostProcessor;
import io.redelay.queue.config.QueueListenerContainerFactory;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.config.QueueListenerSupport;
import io.redelay.queue.config.QueueReceiverTemplate;
import io.redelay.queue.config.RegisteredListeners;
import io.redelay.queue.recurring.engine.RecurringEngine;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.scheduling.QueueThreads;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.validation.Validator;

/**
 * The part of the queue's auto-configuration for listeners.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnBooleanProperty(name = "redelay.queue.listener.enabled", matchIfMissing = true)
class QueueListenerConfiguration {

	@Bean
	static QueueListenerAnnotationBeanPostProcessor queueListenerAnnotationBeanPostProcessor() {
		return new QueueListenerAnnotationBeanPostProcessor();
	}

	@Bean
	@ConditionalOnMissingBean
	QueueListenerEndpointRegistry queueListenerEndpointRegistry(RedelayQueueProperties properties,
			ObjectProvider<LifecycleProperties> lifecycle) {
		Duration phase = lifecycle.getIfAvailable(LifecycleProperties::new).getTimeoutPerShutdownPhase();
		Duration own = properties.shutdownTimeout();
		return new QueueListenerEndpointRegistry((own != null) ? own : phase.multipliedBy(9).dividedBy(10));
	}

	@Bean
	@ConditionalOnMissingBean
	QueueListeners queueListeners(QueueListenerEndpointRegistry registry, ConfigurableListableBeanFactory beanFactory) {
		return new RegisteredListeners(registry, beanFactory);
	}

	@Bean
	@ConditionalOnMissingBean(QueueReceiver.class)
	QueueReceiverTemplate queueReceiver(
			@Qualifier(QueueListenerContainerFactory.DEFAULT_BEAN_NAME) QueueListenerContainerFactory factory,
			QueueListenerSupport support, ConfigurableListableBeanFactory beanFactory,
			QueueListenerEndpointRegistry registry) {
		return new QueueReceiverTemplate(factory, support, beanFactory, registry.shutdownTimeout());
	}

	@Bean
	@ConditionalOnMissingBean(name = QueueListenerContainerFactory.DEFAULT_BEAN_NAME)
	QueueListenerContainerFactory queueListenerContainerFactory(QueueServerFactory servers, DelayQueueStore store,
			QueueAdminStore adminStore, RecurringEngine recurring) {
		return servers.containerFactory(store, adminStore, recurring);
	}

	@Bean
	@ConditionalOnMissingBean
	QueueListenerSupport queueListenerSupport(RedelayQueueProperties properties,
			@Qualifier(QueueAutoConfiguration.MESSAGE_CONVERTER) MessageConverter converter,
			ObjectProvider<Validator> validator) {
		return new QueueListenerSupport(properties.toListenerDefaults(), converter, validator.getIfUnique());
	}

	@Bean
	UnusedQueueProperties unusedQueueProperties(RedelayQueueProperties properties,
			QueueListenerEndpointRegistry registry) {
		return new UnusedQueueProperties(properties, registry);
	}

	@Bean
	@ConditionalOnMissingBean
	InstanceAnnouncer instanceAnnouncer(QueueListenerEndpointRegistry registry, QueueThreads threads,
			RedelayQueueProperties properties) {
		return new InstanceAnnouncer(registry, threads.scheduler(), JsonMapper.shared(), properties.toInstanceName());
	}

}
