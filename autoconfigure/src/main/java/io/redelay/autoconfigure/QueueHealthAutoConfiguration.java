package io.redelay.autoconfigure;

import io.redelay.guard.RedisFitness;
import io.redelay.lock.quorum.QuorumLockProvider;
import io.redelay.queue.actuate.ListenersHealthIndicator;
import io.redelay.queue.actuate.QuorumHealthIndicator;
import io.redelay.queue.actuate.RedisHealthIndicator;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.scheduling.Scheduler;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.SimpleAsyncTaskExecutor;

/**
 * Auto-configuration of the health indicators of listeners, of Redis, and of a quorum.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { QueueAutoConfiguration.class, LockAutoConfiguration.class, GuardAutoConfiguration.class })
@ConditionalOnClass({ HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class, RedisHealthIndicator.class })
@EnableConfigurationProperties({ RedelayHealthProperties.class, RedelayGuardProperties.class })
public final class QueueHealthAutoConfiguration {

	@Bean
	@ConditionalOnSingleCandidate(RedissonClient.class)
	@ConditionalOnEnabledHealthIndicator("redelay-redis")
	@ConditionalOnMissingBean(name = "redelayRedisHealthIndicator", search = SearchStrategy.CURRENT)
	RedisHealthIndicator redelayRedisHealthIndicator(RedissonClient redisson, RedelayHealthProperties properties,
			RedelayGuardProperties guard) {
		SimpleAsyncTaskExecutor executor = new SimpleAsyncTaskExecutor("redelay-health-");
		executor.setDaemon(true);
		return new RedisHealthIndicator(
				new RedisFitness(redisson, guard.toSettings(), properties.memoryThreshold())::examine,
				properties.interval(), executor, Scheduler.unclosed(executor));
	}

	@Bean
	@ConditionalOnBean(value = QueueListenerEndpointRegistry.class, search = SearchStrategy.CURRENT)
	@ConditionalOnEnabledHealthIndicator("redelay-listeners")
	@ConditionalOnMissingBean(name = "redelayListenersHealthIndicator", search = SearchStrategy.CURRENT)
	ListenersHealthIndicator redelayListenersHealthIndicator(QueueListenerEndpointRegistry registry,
			RedelayHealthProperties properties) {
		return new ListenersHealthIndicator(registry::getContainers, properties.maxSilence());
	}

	/**
	 * The health of the servers of a quorum.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(QuorumLockProvider.class)
	static class QuorumConfiguration {

		@Bean
		@ConditionalOnSingleCandidate(QuorumLockProvider.class)
		@ConditionalOnEnabledHealthIndicator("redelay-quorum")
		@ConditionalOnMissingBean(name = "redelayQuorumHealthIndicator", search = SearchStrategy.CURRENT)
		QuorumHealthIndicator redelayQuorumHealthIndicator(QuorumLockProvider quorum) {
			return new QuorumHealthIndicator(quorum);
		}

	}

}
