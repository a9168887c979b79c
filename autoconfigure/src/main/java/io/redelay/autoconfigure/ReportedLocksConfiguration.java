package io.redelay.autoconfigure;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.redelay.lock.LockAdmin;
import io.redelay.lock.LockTemplate;
import io.redelay.lock.redisson.InstanceLocks;
import io.redelay.lock.redisson.LockDirectory;
import io.redelay.lock.redisson.StoredHolds;
import io.redelay.queue.admin.InstanceInfo;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueBackendException;
import io.redelay.queue.admin.engine.access.StoreCalls;
import io.redelay.queue.admin.engine.instance.InstanceDirectory;
import io.redelay.queue.script.admin.AdminScripts;
import org.redisson.api.RedissonClient;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/**
 * The part of the queue's auto-configuration for locks: instances that have queues report
 * their locks to each other.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(LockTemplate.class)
class ReportedLocksConfiguration {

	@Bean
	@Lazy
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	@ConditionalOnBean(LockTemplate.class)
	LockAdmin lockAdmin(AdminScripts store, RedissonClient redisson, LockTemplate locks,
			ObjectProvider<QueueAdmin> admin) {
		InstanceDirectory instances = new InstanceDirectory(store, JsonMapper.shared());
		return new LockDirectory(() -> locks(instances), new StoredHolds(redisson), locks,
				() -> admin.getObject().queues().now());
	}

	/**
	 * Waits here, so that a reader who has a limit does not wait longer.
	 */
	private static CompletionStage<List<InstanceLocks>> locks(InstanceDirectory instances) {
		try {
			return CompletableFuture.completedFuture(locks(StoreCalls.await(instances.ask())));
		}
		catch (QueueBackendException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private static List<InstanceLocks> locks(List<InstanceInfo> instances) {
		return instances.stream()
			.map((each) -> new InstanceLocks(each.instance(), each.name(), each.client(), each.announcedAt(),
					each.locks()))
			.toList();
	}

}
