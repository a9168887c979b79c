package io.redelay.autoconfigure;

import java.time.Duration;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.MessageLog;
import io.redelay.queue.RetryListener;
import io.redelay.queue.config.QueueListenerAnnotationBeanPostProcessor;
import io.redelay.queue.config.QueueListenerContainerFactory;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.config.QueueListenerSupport;
import io.redelay.queue.listener.DeadLetterRuntime;
import io.redelay.queue.listener.ListenerRuntime;
import io.redelay.queue.listener.QueueThreads;
import io.redelay.queue.listener.SafetyPoll;
import io.redelay.queue.listener.WakeUps;
import io.redelay.queue.observation.QueueProcessConvention;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.queue.store.QueueAdminStore;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.validation.Validator;

/**
 * The part of the queue's auto-configuration that listens.
 */
@Configuration(proxyBeanMethods = false)
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
	@ConditionalOnMissingBean(name = QueueListenerContainerFactory.DEFAULT_BEAN_NAME)
	QueueListenerContainerFactory queueListenerContainerFactory(DelayQueueStore store,
			RedelayQueueProperties properties, QueueThreads threads, ObjectProvider<ObservationRegistry> observations,
			ObjectProvider<QueueProcessConvention> convention, ObjectProvider<RetryListener> retryListeners,
			ObjectProvider<MessageLog> log, QueueAdminStore adminStore) {
		JsonMapper mapper = JsonMapper.shared();
		return new QueueListenerContainerFactory(
				new ListenerRuntime(store, new EnvelopeCodec(mapper), mapper, threads.timer(), threads.handlers(),
						new WakeUps(store), new SafetyPoll(properties.safetyPollInterval()),
						observations.getIfAvailable(() -> ObservationRegistry.NOOP), convention.getIfAvailable(),
						retryListeners.orderedStream().toList(), log.getIfAvailable(),
						new DeadLetterRuntime(properties.toInstanceName(), adminStore)));
	}

	@Bean
	@ConditionalOnMissingBean
	QueueListenerSupport queueListenerSupport(RedelayQueueProperties properties,
			@Qualifier(QueueAutoConfiguration.MESSAGE_CONVERTER) MessageConverter converter,
			ObjectProvider<Validator> validator) {
		return new QueueListenerSupport(properties.toListenerDefaults(), converter, validator.getIfUnique());
	}

}
