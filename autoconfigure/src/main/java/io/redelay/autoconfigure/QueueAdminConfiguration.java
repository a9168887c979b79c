package io.redelay.autoconfigure;

import io.redelay.queue.QueueGates;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.store.QueueAdminStore;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The part of the queue's auto-configuration for the administration.
 */
@Configuration(proxyBeanMethods = false)
class QueueAdminConfiguration {

	@Bean
	@ConditionalOnMissingBean
	QueueAdmin queueAdmin(QueueServerFactory servers, QueueAdminStore store) {
		return servers.admin(store);
	}

	@Bean
	@ConditionalOnMissingBean
	QueueGates queueGates(QueueServerFactory servers, QueueAdminStore store) {
		return servers.gates(store);
	}

}
