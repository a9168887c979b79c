package io.redelay.autoconfigure;

import io.redelay.queue.measure.QueueMeter;
import io.redelay.scheduling.QueueThreads;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The part of the queue's auto-configuration for its meters.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(QueueStatsProperties.class)
class QueueMeterConfiguration {

	@Bean
	ServerMeters redelayMeters(QueueThreads threads, QueueStatsProperties properties) {
		return new ServerMeters(threads.scheduler(), properties.enabled());
	}

	/**
	 * Adds the meters when all beans are there, as a meter may need the beans that it
	 * measures.
	 */
	@Bean
	SmartInitializingSingleton queueMeters(ServerMeters servers, ObjectProvider<QueueMeter> meters) {
		return () -> meters.orderedStream().forEach(servers::add);
	}

}
