package io.redelay.autoconfigure;

import io.micrometer.observation.ObservationRegistry;
import io.redelay.queue.MessageLog;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.QueueTemplate;
import io.redelay.queue.SendInterceptor;
import io.redelay.queue.listener.QueueThreads;
import io.redelay.queue.observation.QueueSendConvention;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.queue.store.QueueAdminStore;
import io.redelay.queue.store.RedisDelayQueueStore;
import io.redelay.queue.store.RedisQueueAdminStore;
import org.redisson.api.RedissonClient;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.messaging.converter.MessageConverter;

/**
 * Auto-configuration for the delay queue: the store, a {@link QueueTemplate} to send
 * with, and the listeners.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RedissonAutoConfiguration.class,
		afterName = { "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
				"org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
				"org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration" })
@ConditionalOnBean(RedissonClient.class)
@ConditionalOnBooleanProperty(name = "redelay.queue.enabled", matchIfMissing = true)
@EnableConfigurationProperties(RedelayQueueProperties.class)
@Import({ QueueListenerConfiguration.class, QueueAdminConfiguration.class, QueueLoggingConfiguration.class })
public final class QueueAutoConfiguration {

	/**
	 * The name of the bean that converts payloads. Define one of this name to convert
	 * otherwise.
	 */
	static final String MESSAGE_CONVERTER = "redelayMessageConverter";

	@Bean
	@ConditionalOnMissingBean
	QueueThreads redelayQueueThreads(Environment environment) {
		return Threading.VIRTUAL.isActive(environment) ? QueueThreads.virtual() : QueueThreads.platform();
	}

	@Bean
	@ConditionalOnMissingBean
	DelayQueueStore delayQueueStore(RedissonClient redisson, RedelayQueueProperties properties, QueueThreads threads) {
		return new RedisDelayQueueStore(redisson, properties.keyPrefix(), properties.resendTimeout(), threads.timer());
	}

	@Bean
	@ConditionalOnMissingBean
	QueueAdminStore queueAdminStore(RedissonClient redisson, RedelayQueueProperties properties, QueueThreads threads) {
		return new RedisQueueAdminStore(redisson, properties.keyPrefix(), properties.resendTimeout(), threads.timer());
	}

	@Bean(name = MESSAGE_CONVERTER, defaultCandidate = false)
	@ConditionalOnMissingBean(name = MESSAGE_CONVERTER)
	MessageConverter redelayMessageConverter(ObjectProvider<JsonMapper> mapper) {
		return PayloadConverters.create(mapper.getIfAvailable(() -> JsonMapper.builder().findAndAddModules().build()));
	}

	@Bean
	@ConditionalOnMissingBean(QueueOperations.class)
	QueueTemplate queueTemplate(DelayQueueStore store, @Qualifier(MESSAGE_CONVERTER) MessageConverter converter,
			RedelayQueueProperties properties, QueueThreads threads, ObjectProvider<ObservationRegistry> observations,
			ObjectProvider<QueueSendConvention> convention, ObjectProvider<SendInterceptor> interceptors,
			ObjectProvider<MessageLog> log) {
		return new QueueTemplate(store, converter, new EnvelopeCodec(JsonMapper.shared()), properties.toSendSettings(),
				observations.getIfAvailable(() -> ObservationRegistry.NOOP), convention.getIfAvailable(),
				threads.handlers(), interceptors.orderedStream().toList(), log.getIfAvailable());
	}

}
