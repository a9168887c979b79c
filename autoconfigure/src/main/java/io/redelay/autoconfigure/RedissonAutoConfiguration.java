package io.redelay.autoconfigure;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.redelay.redisson.ClosedConnectionHook;
import io.redelay.redisson.RedissonConfigCustomizer;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/**
 * Auto-configuration for a {@link RedissonClient} on the Redis of
 * {@code spring.data.redis} or of other connection details. With queues and locks both
 * switched off there is none, so that an application starts without a Redis.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DataRedisAutoConfiguration.class)
@ConditionalOnClass(RedissonClient.class)
@ConditionalOnBean(DataRedisConnectionDetails.class)
@Conditional(RedissonAutoConfiguration.OnQueuesOrLocks.class)
@EnableConfigurationProperties({ DataRedisProperties.class, RedelayRedissonProperties.class })
public final class RedissonAutoConfiguration {

	/**
	 * Child contexts share it, unless they have one of their own.
	 */
	@Bean(destroyMethod = "shutdown")
	@ConditionalOnMissingBean
	RedissonClient redissonClient(DataRedisConnectionDetails details, DataRedisProperties redis,
			RedelayRedissonProperties redisson, ObjectProvider<RedissonConfigCustomizer> customizers) {
		return new RedissonClientFactory(details, redis, redisson, customizers.orderedStream().toList()).create();
	}

	/**
	 * Closes the connections while the context is stopped, also those of a client of the
	 * application, if it has the hook.
	 */
	@Bean
	@ConditionalOnBean(value = RedissonClient.class, search = SearchStrategy.CURRENT)
	SuspendedAtStop redelaySuspendedConnections(ConfigurableApplicationContext context,
			ObjectProvider<RedissonClient> clients) {
		return new SuspendedAtStop(context, SuspendedAtStop.CONNECTIONS,
				() -> hook(clients).map(ClosedConnectionHook::suspend)
					.orElseGet(() -> CompletableFuture.completedFuture(null)),
				() -> hook(clients).ifPresent(ClosedConnectionHook::resume));
	}

	private static Optional<ClosedConnectionHook> hook(ObjectProvider<RedissonClient> clients) {
		RedissonClient client = clients.getIfUnique();
		return (client != null && client.getConfig().getNettyHook() instanceof ClosedConnectionHook hook)
				? Optional.of(hook) : Optional.empty();
	}

	/**
	 * Matches where anything needs the client.
	 */
	static final class OnQueuesOrLocks extends AnyNestedCondition {

		OnQueuesOrLocks() {
			super(ConfigurationPhase.PARSE_CONFIGURATION);
		}

		@ConditionalOnClass(name = "io.redelay.queue.QueueOperations")
		@ConditionalOnBooleanProperty(name = "redelay.queue.enabled", matchIfMissing = true)
		static class OnQueues {

		}

		@ConditionalOnClass(name = "io.redelay.lock.LockTemplate")
		@ConditionalOnBooleanProperty(name = RedelayLockProperties.ENABLED, matchIfMissing = true)
		static class OnLocks {

		}

	}

}
