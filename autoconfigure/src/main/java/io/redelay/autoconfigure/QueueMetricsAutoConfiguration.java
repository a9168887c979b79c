package io.redelay.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.redelay.lock.quorum.QuorumGauges;
import io.redelay.lock.quorum.QuorumLockProvider;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.observation.MicrometerQueueMeter;
import io.redelay.queue.observation.QueueGauges;
import io.redelay.queue.observation.QueueMeterFilter;
import io.redelay.queue.observation.QueueTags;
import io.redelay.scheduling.QueueThreads;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Auto-configuration of the Micrometer meters of queues, and of a quorum of locks, if
 * there is a meter registry.
 *
 * @since 0.1.0
 */
@AutoConfiguration(after = { QueueAutoConfiguration.class, LockAutoConfiguration.class },
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@EnableConfigurationProperties(RedelayMetricsProperties.class)
public final class QueueMetricsAutoConfiguration {

	/**
	 * The tags that meters of queues share.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(QueueTags.class)
	static class TagsConfiguration {

		@Bean
		@ConditionalOnMissingBean
		QueueTags queueTags(RedelayMetricsProperties properties) {
			return new QueueTags(properties.maxQueues());
		}

		@Bean
		@ConditionalOnMissingBean
		QueueMeterFilter queueMeterFilter(RedelayMetricsProperties properties, QueueTags tags) {
			return new QueueMeterFilter(properties.enabled(), properties.histograms(), tags);
		}

	}

	/**
	 * The meters of the servers of a quorum.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(QuorumLockProvider.class)
	@ConditionalOnBean(MeterRegistry.class)
	@ConditionalOnBooleanProperty(name = RedelayMetricsProperties.ENABLED, matchIfMissing = true)
	static class QuorumConfiguration {

		@Bean
		@ConditionalOnSingleCandidate(QuorumLockProvider.class)
		@ConditionalOnMissingBean
		QuorumGauges quorumGauges(MeterRegistry registry, QuorumLockProvider quorum) {
			return new QuorumGauges(registry, quorum);
		}

	}

	/**
	 * The meters of queues.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(QueueOperations.class)
	@ConditionalOnBean({ MeterRegistry.class, QueueOperations.class })
	@ConditionalOnBooleanProperty(name = RedelayMetricsProperties.ENABLED, matchIfMissing = true)
	static class QueueConfiguration {

		@Bean
		@ConditionalOnMissingBean
		MicrometerQueueMeter micrometerQueueMeter(MeterRegistry registry, QueueTags tags) {
			return new MicrometerQueueMeter(registry, tags);
		}

		@Bean
		@ConditionalOnMissingBean
		@ConditionalOnBean(QueueSnapshots.class)
		@ConditionalOnBooleanProperty(name = "redelay.metrics.gauges", matchIfMissing = true)
		QueueGauges queueGauges(MeterRegistry registry, QueueSnapshots snapshots, QueueTags tags,
				MicrometerQueueMeter meter, QueueThreads threads) {
			return new QueueGauges(registry, snapshots, tags, meter, threads.scheduler());
		}

	}

}
