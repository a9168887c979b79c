package io.redelay.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.redelay.guard.PermissionCheck;
import io.redelay.guard.RedisGuard;
import io.redelay.lock.LockTemplate;
import io.redelay.lock.redisson.LockPermissions;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.redis.RedisDelayQueueStore;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
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
			ObjectProvider<DelayQueueStore> stores, ObjectProvider<RedelayQueueProperties> queueProperties,
			ObjectProvider<LockTemplate> locks, ObjectProvider<RedelayLockProperties> lockProperties) {
		List<PermissionCheck> permissions = new ArrayList<>();
		RedelayQueueProperties queue = queueProperties.getIfUnique();
		if (queue != null && stores.getIfUnique() instanceof RedisDelayQueueStore store) {
			permissions.add(new PermissionCheck("queues, with keys and channels '" + queue.keyPrefix() + ":*',",
					store::findRefusals));
		}
		RedelayLockProperties lock = lockProperties.getIfUnique();
		if (lock != null && locks.getIfUnique() != null) {
			permissions.add(new PermissionCheck(
					"locks, with keys '" + lock.keyPrefix() + ":*' and keys and channels 'redisson_*',",
					() -> LockPermissions.findRefusals(redisson, lock.keyPrefix())));
		}
		return new RedisGuard(redisson, properties.toSettings(), permissions);
	}

}
