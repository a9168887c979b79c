package io.redelay.autoconfigure;

import io.redelay.guard.PermissionCheck;
import io.redelay.guard.RedisGuard;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/**
 * Auto-configuration that checks the application's Redis at start-up.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { QueueAutoConfiguration.class, LockAutoConfiguration.class })
@ConditionalOnSingleCandidate(RedissonClient.class)
@EnableConfigurationProperties(RedelayGuardProperties.class)
public final class GuardAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	RedisGuard redisGuard(RedissonClient redisson, RedelayGuardProperties properties,
			ObjectProvider<PermissionCheck> permissions) {
		return new RedisGuard(redisson, properties.toSettings(), permissions.orderedStream().toList());
	}

}
