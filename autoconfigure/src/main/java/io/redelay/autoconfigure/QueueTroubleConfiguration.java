package io.redelay.autoconfigure;

import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.admin.TroubleListener;
import io.redelay.queue.event.engine.TroubleWatch;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.TroubleKey;
import io.redelay.scheduling.QueueThreads;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The part of the queue's auto-configuration for the events of queues in trouble.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(RedelayTroubleProperties.class)
class QueueTroubleConfiguration {

	/**
	 * Applications of several names on one Redis have a turn each, so that each of them
	 * gets all events.
	 */
	@Bean
	TroubleWatch redelayTroubleWatch(ApplicationContext context, ObjectProvider<TroubleListener> listeners,
			ObjectProvider<QueueSnapshots> snapshots, AdminScripts store, RedelayTroubleProperties properties,
			QueueThreads threads) {
		String application = context.getEnvironment().getProperty("spring.application.name", "");
		return new TroubleWatch(context, listeners, snapshots::getObject, new TroubleKey(store.runner(), application),
				properties.interval(), properties.hold(), threads.scheduler());
	}

}
