package io.redelay.autoconfigure;

import io.redelay.queue.admin.InstanceAnnouncer;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueAdminTemplate;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.listener.QueueThreads;
import io.redelay.queue.store.DelayQueueStore;
import io.redelay.queue.store.EnvelopeCodec;
import io.redelay.queue.store.QueueAdminStore;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The part of the queue's auto-configuration that looks at queues and acts on them.
 */
@Configuration(proxyBeanMethods = false)
class QueueAdminConfiguration {

	@Bean
	@ConditionalOnMissingBean
	QueueAdmin queueAdmin(QueueAdminStore store) {
		JsonMapper mapper = JsonMapper.shared();
		return new QueueAdminTemplate(store, new EnvelopeCodec(mapper), mapper);
	}

	@Bean
	@ConditionalOnMissingBean
	InstanceAnnouncer instanceAnnouncer(QueueAdminStore admin, DelayQueueStore store,
			QueueListenerEndpointRegistry registry, QueueThreads threads, RedelayQueueProperties properties) {
		return new InstanceAnnouncer(admin, registry, threads.timer(), JsonMapper.shared(), store.instance(),
				properties.toInstanceName());
	}

}
