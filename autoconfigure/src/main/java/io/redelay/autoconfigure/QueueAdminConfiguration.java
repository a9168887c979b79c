package io.redelay.autoconfigure;

import io.redelay.queue.QueueGates;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.admin.engine.QueueSnapshotCache;
import io.redelay.queue.store.redis.AdminScripts;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SearchStrategy;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The part of the queue's auto-configuration for the administration.
 */
@Configuration(proxyBeanMethods = false)
class QueueAdminConfiguration {

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	QueueAdmin queueAdmin(QueueServerFactory servers, AdminScripts store) {
		return servers.admin(store);
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	QueueSnapshots queueSnapshots(AdminScripts store) {
		return new QueueSnapshotCache(store, JsonMapper.shared());
	}

	@Bean
	@ConditionalOnMissingBean(search = SearchStrategy.CURRENT)
	QueueGates queueGates(QueueServerFactory servers, AdminScripts store) {
		return servers.gates(store);
	}

}
