package io.redelay.autoconfigure;

import io.redelay.redisson.RedissonClientFactory;
import io.redelay.redisson.RedissonConfigCustomizer;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration for a {@link RedissonClient} on the Redis of
 * {@code spring.data.redis} or of other connection details.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = DataRedisAutoConfiguration.class)
@ConditionalOnClass(RedissonClient.class)
@ConditionalOnBean(DataRedisConnectionDetails.class)
@EnableConfigurationProperties({ DataRedisProperties.class, RedelayRedissonProperties.class })
public final class RedissonAutoConfiguration {

	@Bean(destroyMethod = "shutdown")
	@ConditionalOnMissingBean
	RedissonClient redissonClient(DataRedisConnectionDetails details, DataRedisProperties redis,
			RedelayRedissonProperties redisson, ObjectProvider<RedissonConfigCustomizer> customizers) {
		return new RedissonClientFactory(details, redis, redisson.toSettings(), customizers.orderedStream().toList())
			.create();
	}

}
