package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.micrometer.core.instrument.MeterRegistry;
import io.redelay.guard.PermissionCheck;
import io.redelay.queue.Idempotency;
import io.redelay.queue.MessageBundles;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.config.ListenerDefaults;
import io.redelay.queue.invariant.InvariantListener;
import io.redelay.queue.listener.idempotency.IdempotencyTemplate;
import io.redelay.queue.observation.MicrometerDuplicateListener;
import io.redelay.queue.observation.MicrometerInvariantListener;
import io.redelay.queue.observation.MicrometerRecurringListener;
import io.redelay.queue.observation.MicrometerRollbackListener;
import io.redelay.queue.send.QueueTemplate;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.redis.AdminScripts;
import io.redelay.queue.store.redis.RedisDelayQueueStore;
import io.redelay.scheduling.QueueThreads;
import org.redisson.api.RedissonClient;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.messaging.converter.MessageConverter;

/**
 * Auto-configuration for the delay queue: the store, a {@link QueueTemplate} to send
 * with, and the listeners.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { RedissonAutoConfiguration.class, LockAutoConfiguration.class },
		afterName = { "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
				"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
				"org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration",
				"org.springframework.boot.validation.autoconfigure.ValidationAutoConfiguration" })
@ConditionalOnClass(QueueOperations.class)
@ConditionalOnBean(RedissonClient.class)
@ConditionalOnBooleanProperty(name = "redelay.queue.enabled", matchIfMissing = true)
@EnableConfigurationProperties(RedelayQueueProperties.class)
@Import({ QueueListenerConfiguration.class, QueueAdminConfiguration.class, QueueAdminThemesConfiguration.class,
		QueueLoggingConfiguration.class, RecurringConfiguration.class, QueueEventsConfiguration.class,
		QueueInletConfiguration.class, QueueMeterConfiguration.class, ReportedLocksConfiguration.class })
public final class QueueAutoConfiguration {

	/**
	 * The name of the bean that converts payloads. Define one of this name to convert
	 * otherwise.
	 */
	static final String MESSAGE_CONVERTER = "redelayMessageConverter";

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	QueueThreads redelayQueueThreads(Environment environment) {
		return Threading.VIRTUAL.isActive(environment) ? QueueThreads.virtual() : QueueThreads.platform();
	}

	@Bean
	QueueServerFactory queueServerFactory(ConfigurableBeanFactory beans, RedelayQueueProperties properties,
			QueueThreads threads, ApplicationEventPublisher publisher) {
		return new QueueServerFactory(beans, properties, threads, publisher);
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	DelayQueueStore delayQueueStore(QueueServerFactory servers, RedissonClient redisson) {
		return servers.store(redisson);
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	AdminScripts queueAdminStore(QueueServerFactory servers, RedissonClient redisson) {
		return servers.adminStore(redisson);
	}

	/**
	 * The rights that queues need, for the {@link GuardAutoConfiguration guard}.
	 */
	@Bean
	@ConditionalOnSingleCandidate(DelayQueueStore.class)
	PermissionCheck queuePermissionCheck(DelayQueueStore store, RedelayQueueProperties properties) {
		return new PermissionCheck("queues, with keys and channels '" + properties.keyPrefix() + ":*',",
				() -> (store instanceof RedisDelayQueueStore redis) ? redis.findRefusals()
						: CompletableFuture.completedFuture(List.of()));
	}

	@Bean(name = MESSAGE_CONVERTER, defaultCandidate = false)
	@ConditionalOnMissingBean(name = MESSAGE_CONVERTER)
	MessageConverter redelayMessageConverter(ObjectProvider<JsonMapper> mapper) {
		return PayloadConverters.create(mapper.getIfAvailable(() -> JsonMapper.builder().findAndAddModules().build()));
	}

	@Bean
	@ConditionalOnMissingBean(value = QueueOperations.class, search = SearchStrategy.CURRENT)
	QueueTemplate queueTemplate(QueueServerFactory servers, DelayQueueStore store, AdminScripts adminStore) {
		return servers.template(store, adminStore);
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	MessageBundles messageBundles(QueueServerFactory servers, ObjectProvider<QueueTemplate> template,
			DelayQueueStore store, AdminScripts adminStore) {
		return servers.bundles(template.getIfUnique(() -> servers.template(store, adminStore)), store, adminStore);
	}

	@Bean
	@ConditionalOnMissingBean(value = Idempotency.class, search = SearchStrategy.CURRENT)
	IdempotencyTemplate idempotencyTemplate(DelayQueueStore store, RedelayQueueProperties properties,
			QueueThreads threads) {
		Duration lease = properties.listener().leaseTime();
		return new IdempotencyTemplate(store, (lease != null) ? lease : ListenerDefaults.LEASE_TIME,
				threads.scheduler());
	}

	/**
	 * Counts roll-backs of Redis if there is a meter registry.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterRegistry.class)
	@ConditionalOnBean(MeterRegistry.class)
	@ConditionalOnBooleanProperty(name = QueueMetricsAutoConfiguration.ENABLED, matchIfMissing = true)
	static class MetricsConfiguration {

		@Bean
		@ConditionalOnMissingBean
		MicrometerRollbackListener micrometerRollbackListener(MeterRegistry registry) {
			return new MicrometerRollbackListener(registry);
		}

		@Bean
		@ConditionalOnMissingBean
		MicrometerDuplicateListener micrometerDuplicateListener(MeterRegistry registry) {
			return new MicrometerDuplicateListener(registry);
		}

		@Bean
		@ConditionalOnMissingBean
		MicrometerRecurringListener micrometerRecurringListener(MeterRegistry registry) {
			return new MicrometerRecurringListener(registry);
		}

		@Bean
		@ConditionalOnMissingBean(InvariantListener.class)
		MicrometerInvariantListener micrometerInvariantListener(MeterRegistry registry) {
			return new MicrometerInvariantListener(registry);
		}

	}

}
