package io.redelay.autoconfigure;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.micrometer.core.instrument.MeterRegistry;
import io.redelay.delivery.LockActivity;
import io.redelay.guard.PermissionCheck;
import io.redelay.lock.LockAdmin;
import io.redelay.lock.LockKeyBuilder;
import io.redelay.lock.LockListener;
import io.redelay.lock.LockProvider;
import io.redelay.lock.LockProviders;
import io.redelay.lock.LockTemplate;
import io.redelay.lock.LockThreads;
import io.redelay.lock.MicrometerLockListener;
import io.redelay.lock.MyLockType;
import io.redelay.lock.annotation.AsyncDeliveryBeanPostProcessor;
import io.redelay.lock.annotation.MyLockBeanPostProcessor;
import io.redelay.lock.annotation.UnlockedMyLockReporter;
import io.redelay.lock.quorum.QuorumLockProvider;
import io.redelay.lock.quorum.QuorumSettings;
import io.redelay.lock.redisson.LockDirectory;
import io.redelay.lock.redisson.LockPermissions;
import io.redelay.lock.redisson.RedissonLockProvider;
import io.redelay.lock.redisson.StoredHolds;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration for locks: {@link io.redelay.lock.MyLock @MyLock} and a
 * {@link LockTemplate}, if there is a {@link RedissonClient}.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = RedissonAutoConfiguration.class, afterName = {
		"org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration",
		"org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
		"org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration" })
@ConditionalOnClass(LockTemplate.class)
@EnableConfigurationProperties(RedelayLockProperties.class)
public final class LockAutoConfiguration {

	/**
	 * The name of the bean that provides locks with fencing tokens.
	 */
	static final String FENCED = "fencedLockProvider";

	/**
	 * The name of the bean that provides locks of several servers.
	 */
	static final String QUORUM = "quorum";

	/**
	 * Applies locks to methods. Present without a client too, to reject methods that
	 * would run without their locks. Each context has its own, since a post-processor
	 * does not process the beans of a child context.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = RedelayLockProperties.ENABLED, matchIfMissing = true)
	static class MyLockConfiguration {

		@Bean
		@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
		static MyLockBeanPostProcessor myLockBeanPostProcessor(Environment environment) {
			MyLockBeanPostProcessor processor = new MyLockBeanPostProcessor();
			processor
				.setProxyTargetClass(environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true));
			return processor;
		}

		@Bean
		@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
		static AsyncDeliveryBeanPostProcessor asyncDeliveryBeanPostProcessor() {
			return new AsyncDeliveryBeanPostProcessor();
		}

	}

	/**
	 * Logs that methods run without their locks, if locks are switched off.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBooleanProperty(name = RedelayLockProperties.ENABLED, havingValue = false)
	static class NoLockConfiguration {

		@Bean
		static UnlockedMyLockReporter unlockedMyLockReporter() {
			return new UnlockedMyLockReporter();
		}

	}

	/**
	 * The locks of Redisson.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnBean(RedissonClient.class)
	@ConditionalOnBooleanProperty(name = RedelayLockProperties.ENABLED, matchIfMissing = true)
	static class TemplateConfiguration {

		@Bean
		@ConditionalOnMissingBean
		LockThreads redelayLockThreads(Environment environment) {
			return Threading.VIRTUAL.isActive(environment) ? LockThreads.virtual() : LockThreads.platform();
		}

		@Bean
		@ConditionalOnBean(value = LockThreads.class, search = SearchStrategy.CURRENT)
		SuspendedAtStop redelaySuspendedLockThreads(ConfigurableApplicationContext context, LockThreads threads) {
			return new SuspendedAtStop(context, SuspendedAtStop.THREADS, () -> {
				threads.suspend();
				return CompletableFuture.completedFuture(null);
			}, threads::resume);
		}

		@Bean(FENCED)
		@ConditionalOnMissingBean(name = FENCED)
		LockProvider fencedLockProvider(RedissonClient redisson) {
			return RedissonLockProvider.fenced(redisson);
		}

		@Bean(name = QUORUM, destroyMethod = "close")
		@Conditional(OnQuorumCondition.class)
		@ConditionalOnMissingBean(name = QUORUM)
		QuorumLockProvider quorumLockProvider(RedelayLockProperties properties, LockThreads threads,
				RedissonClient redisson) {
			RedelayLockProperties.Quorum quorum = properties.quorum();
			return new QuorumLockProvider(QuorumClients.of(quorum.addresses(), quorum.timeout()),
					new QuorumSettings(quorum.leaseTime(), quorum.timeout()), threads, redisson.getId());
		}

		@Bean
		@ConditionalOnBean(value = QuorumLockProvider.class, search = SearchStrategy.CURRENT)
		SuspendedAtStop redelaySuspendedQuorum(ConfigurableApplicationContext context,
				ObjectProvider<QuorumLockProvider> quorums) {
			return new SuspendedAtStop(context, SuspendedAtStop.CONNECTIONS, () -> {
				quorums.ifUnique(QuorumLockProvider::close);
				return CompletableFuture.completedFuture(null);
			}, () -> quorums.ifUnique(QuorumLockProvider::open));
		}

		@Bean
		@ConditionalOnMissingBean
		LockTemplate lockTemplate(RedissonClient redisson, Map<String, LockProvider> named,
				RedelayLockProperties properties, ObjectProvider<LockKeyBuilder> keyBuilder,
				ObjectProvider<LockListener> listeners, LockThreads threads) {
			Map<MyLockType, LockProvider> types = new EnumMap<>(MyLockType.class);
			for (MyLockType type : MyLockType.values()) {
				types.put(type, RedissonLockProvider.of(redisson, type));
			}
			return new LockTemplate(new LockProviders(types, named), keyBuilder.getIfAvailable(() -> (name) -> name),
					properties.toSettings(), listeners.orderedStream().toList(), threads);
		}

		@Bean
		@ConditionalOnMissingBean
		LockActivity lockActivity(LockTemplate locks) {
			return locks.activity();
		}

		/**
		 * The rights that locks need, for the {@link GuardAutoConfiguration guard}.
		 */
		@Bean
		@ConditionalOnSingleCandidate(LockTemplate.class)
		PermissionCheck lockPermissionCheck(RedissonClient redisson, RedelayLockProperties properties) {
			return new PermissionCheck(
					"locks, with keys '" + properties.keyPrefix() + ":*' and keys and channels 'redisson_*',",
					() -> LockPermissions.findRefusals(redisson, properties.keyPrefix()));
		}

		/**
		 * Has the locks of this instance only, if there are no queues to carry the
		 * reports of others.
		 */
		@Bean
		@Lazy
		@ConditionalOnMissingBean
		@Conditional(OnNoQueues.class)
		LockAdmin lockAdmin(RedissonClient redisson, LockTemplate locks, Environment environment) {
			String name = environment.getProperty("redelay.queue.instance-name");
			return LockDirectory.ofThisInstance((name != null) ? name : InstanceName.get(), redisson.getId(),
					new StoredHolds(redisson), locks);
		}

	}

	/**
	 * Matches where queues are switched off, or are not on the class path.
	 */
	static final class OnNoQueues extends AnyNestedCondition {

		OnNoQueues() {
			super(ConfigurationPhase.REGISTER_BEAN);
		}

		@ConditionalOnBooleanProperty(name = "redelay.queue.enabled", havingValue = false)
		static class SwitchedOff {

		}

		@ConditionalOnMissingClass("io.redelay.queue.QueueOperations")
		static class NotThere {

		}

	}

	/**
	 * Measures locks if there is a meter registry.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(MeterRegistry.class)
	@ConditionalOnBean({ MeterRegistry.class, RedissonClient.class })
	@ConditionalOnBooleanProperty(name = { RedelayLockProperties.ENABLED, RedelayMetricsProperties.ENABLED },
			matchIfMissing = true)
	static class MetricsConfiguration {

		@Bean
		@ConditionalOnMissingBean
		MicrometerLockListener micrometerLockListener(MeterRegistry registry) {
			return new MicrometerLockListener(registry);
		}

	}

}
