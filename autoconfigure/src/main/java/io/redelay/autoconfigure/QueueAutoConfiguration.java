package io.redelay.autoconfigure;

import java.time.Duration;

import io.micrometer.core.instrument.MeterRegistry;
import io.redelay.guard.PermissionCheck;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.claim.LocalGates;
import io.redelay.queue.claim.SuspectAdmission;
import io.redelay.queue.config.ListenerDefaults;
import io.redelay.queue.idempotency.IdempotencyTemplate;
import io.redelay.queue.invariant.InvariantListener;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.listener.QueueGate;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.observation.MicrometerQueueListener;
import io.redelay.queue.observation.RollbackReporter;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.ScriptObservers;
import io.redelay.queue.send.JsonPayloadConverter;
import io.redelay.queue.send.QueueTemplate;
import io.redelay.queue.send.SendSettings;
import io.redelay.queue.work.Idempotency;
import io.redelay.scheduling.QueueThreads;
import io.redelay.template.MessageTemplates;
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
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.core.task.SimpleAsyncTaskExecutor;
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
@EnableConfigurationProperties({ RedelayQueueProperties.class, NamedQueueProperties.class, QueueSendProperties.class,
		QueueInletProperties.class, QueueReplayProperties.class, QueueRecurrenceProperties.class,
		QueueWorkProperties.class, QueueColdProperties.class, QueueListenerProperties.class,
		QueueListenerProperties.Handling.class, QueueListenerProperties.Limits.class,
		QueueListenerProperties.Idempotency.class })
@Import({ QueueStoreConfiguration.class, QueueSendConfiguration.class, QueueListenerConfiguration.class,
		QueueAdminConfiguration.class, QueueAdminThemesConfiguration.class, QueueLoggingConfiguration.class,
		RecurringConfiguration.class, RecurringDeclarationConfiguration.class, QueueEventsConfiguration.class,
		QueueTroubleConfiguration.class, QueueInletConfiguration.class, QueueMeterConfiguration.class,
		ReportedLocksConfiguration.class })
public final class QueueAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	QueueThreads redelayQueueThreads(Environment environment) {
		return Threading.VIRTUAL.isActive(environment) ? QueueThreads.virtual() : QueueThreads.platform();
	}

	@Bean
	@ConditionalOnBean(value = QueueThreads.class, search = SearchStrategy.CURRENT)
	SuspendedAtStop redelaySuspendedQueueThreads(ConfigurableApplicationContext context, QueueThreads threads) {
		return new SuspendedAtStop(context, SuspendedAtStop.THREADS, threads::suspend, threads::resume);
	}

	@Bean
	QueueSettings redelayQueueSettings(RedelayQueueProperties common, NamedQueueProperties named,
			QueueSendProperties send, QueueInletProperties inlets, QueueListenerProperties containers,
			QueueListenerProperties.Handling handling, QueueListenerProperties.Limits limits,
			QueueListenerProperties.Idempotency idempotency) {
		return new QueueSettings(common, named, send, inlets,
				QueueListenerProperties.toValues(containers, handling, limits, idempotency));
	}

	@Bean
	ReplayMemory redelayReplayMemory(QueueReplayProperties properties, QueueThreads threads,
			ApplicationEventPublisher publisher) {
		RollbackReporter reporter = new RollbackReporter(new SimpleAsyncTaskExecutor("redelay-rollback-"), publisher);
		return properties.toMemory(reporter, threads.scheduler());
	}

	@Bean
	ScriptObservers redelayScriptObservers(QueueThreads threads) {
		return new ScriptObservers(threads.scheduler()::nanoTime);
	}

	@Bean
	EnvelopeCodec redelayEnvelopeCodec() {
		return new EnvelopeCodec();
	}

	@Bean
	SendSettings redelaySendSettings(QueueSettings settings, ConfigurableBeanFactory beans) {
		return settings.toSendSettings(new MessageTemplates(beans));
	}

	@Bean
	GuardedPublisher redelayGuardedPublisher(ApplicationEventPublisher publisher) {
		return new GuardedPublisher(publisher);
	}

	@Bean
	@Lazy
	SuspectAdmission redelaySuspectAdmission(QueueThreads threads) {
		return new SuspectAdmission(threads.scheduler());
	}

	/**
	 * All servers share them, so that each gate is given one thing to call.
	 */
	@Bean
	@Lazy
	LocalGates redelayLocalGates(ObjectProvider<QueueGate> gates, QueueThreads threads) {
		return new LocalGates(gates.orderedStream().toList(), threads.scheduler());
	}

	@Bean
	@Lazy
	Invariants redelayInvariants(ObjectProvider<InvariantListener> listener) {
		InvariantListener own = listener.getIfAvailable();
		return (own != null) ? new Invariants(own) : Invariants.LOGGED;
	}

	/**
	 * Closes the other servers before what all servers share.
	 */
	@Bean
	@DependsOn("redelayReplayMemory")
	QueueServerFactory queueServerFactory(ConfigurableApplicationContext application) {
		return new QueueServerFactory(application);
	}

	/**
	 * The rights that queues need, for the {@link GuardAutoConfiguration guard}.
	 */
	@Bean
	@ConditionalOnSingleCandidate(QueueScripts.class)
	PermissionCheck queuePermissionCheck(QueueScripts scripts, RedelayQueueProperties properties) {
		return new PermissionCheck("queues, with keys and channels '" + properties.keyPrefix() + ":*',",
				scripts::findRefusals);
	}

	@Bean(name = PayloadConverters.BEAN_NAME, defaultCandidate = false)
	@ConditionalOnMissingBean(name = PayloadConverters.BEAN_NAME)
	MessageConverter redelayMessageConverter(ObjectProvider<JsonMapper> mapper) {
		return new JsonPayloadConverter(mapper.getIfAvailable(() -> JsonMapper.builder().findAndAddModules().build()));
	}

	@Bean
	@Lazy
	@ConditionalOnMissingBean(value = Idempotency.class, search = SearchStrategy.CURRENT)
	IdempotencyTemplate idempotencyTemplate(QueueScripts store, QueueListenerProperties properties,
			QueueThreads threads) {
		Duration lease = properties.leaseTime();
		return new IdempotencyTemplate(store, (lease != null) ? lease : ListenerDefaults.LEASE_TIME,
				threads.scheduler());
	}

	/**
	 * Counts what is rare if there is a meter registry.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterRegistry.class)
	@ConditionalOnBean(MeterRegistry.class)
	@ConditionalOnBooleanProperty(name = RedelayMetricsProperties.ENABLED, matchIfMissing = true)
	static class MetricsConfiguration {

		@Bean
		@ConditionalOnMissingBean
		@Fallback // the application's own listener to invariants goes before it
		MicrometerQueueListener micrometerQueueListener(MeterRegistry registry) {
			return new MicrometerQueueListener(registry);
		}

	}

}
