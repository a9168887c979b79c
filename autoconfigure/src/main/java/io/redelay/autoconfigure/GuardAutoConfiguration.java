package io.redelay.autoconfigure;

import io.redelay.guard.PermissionCheck;
import io.redelay.guard.RedisGuard;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration that checks the application's properties and its Redis at start-up.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { QueueAutoConfiguration.class, LockAutoConfiguration.class })
@ConditionalOnClass(RedissonClient.class)
@EnableConfigurationProperties(RedelayGuardProperties.class)
public final class GuardAutoConfiguration {

	@Bean
	static UnknownProperties redelayUnknownProperties(Environment environment) {
		return new UnknownProperties(environment);
	}

	@Bean
	@ConditionalOnSingleCandidate(RedissonClient.class)
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	RedisGuard redisGuard(RedissonClient redisson, RedelayGuardProperties properties,
			ObjectProvider<PermissionCheck> permissions) {
		return new RedisGuard(redisson, properties.toSettings(), permissions.orderedStream().toList());
	}

}
