package io.redelay.autoconfigure;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.observation.MicrometerQueueMeter;
import io.redelay.queue.observation.QueueGauges;
import io.redelay.queue.observation.QueueMeterFilter;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueMetricsAutoConfiguration}.
 */
class QueueMetricsAutoConfigurationIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class, RedissonAutoConfiguration.class,
				QueueAutoConfiguration.class, LockAutoConfiguration.class, QueueMetricsAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.url=" + redis.uri());

	@Test
	void measuresIfThereIsARegistry() {
		measured().run((context) -> {
			assertThat(context).hasSingleBean(MicrometerQueueMeter.class).hasSingleBean(QueueGauges.class);
			String queue = TestRedis.queue();
			context.getBean(QueueOperations.class).send(queue, "x");
			assertThat(context.getBean(MeterRegistry.class)
				.get("messaging.client.sent.messages")
				.tag("messaging.destination.name", queue)
				.counter()
				.count()).isOne();
		});
	}

	@Test
	void doesNothingWithoutARegistry() {
		this.runner.run((context) -> assertThat(context).hasNotFailed()
			.doesNotHaveBean(MicrometerQueueMeter.class)
			.doesNotHaveBean(QueueGauges.class));
	}

	@Test
	void doesNothingWithoutMicrometersMetrics() {
		this.runner.withClassLoader(new FilteredClassLoader("io.micrometer.core")).run((context) -> {
			assertThat(context).hasNotFailed().doesNotHaveBean("queueTags").doesNotHaveBean("queueMeterFilter");
			context.getBean(QueueOperations.class).send(TestRedis.queue(), "x");
		});
	}

	@Test
	void allIsSwitchedOffByAProperty() {
		measured().withPropertyValues("redelay.metrics.enabled=false").run((context) -> {
			assertThat(context).hasNotFailed()
				.hasSingleBean(QueueOperations.class)
				.doesNotHaveBean(MicrometerQueueMeter.class)
				.doesNotHaveBean(QueueGauges.class);
			// Denies what Micrometer would measure of observations.
			MeterRegistry registry = context.getBean(MeterRegistry.class);
			registry.config().meterFilter(context.getBean(QueueMeterFilter.class));
			registry.timer("messaging.process.duration", "messaging.system", "redelay");
			assertThat(registry.getMeters()).isEmpty();
		});
	}

	@Test
	void gaugesAreSwitchedOffByAProperty() {
		measured().withPropertyValues("redelay.metrics.gauges=false")
			.run((context) -> assertThat(context).hasSingleBean(MicrometerQueueMeter.class)
				.doesNotHaveBean(QueueGauges.class));
	}

	@Test
	void refusesToShowNoQueue() {
		measured().withPropertyValues("redelay.metrics.max-queues=0")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("'redelay.metrics.max-queues' must be positive: 0"));
	}

	private ApplicationContextRunner measured() {
		return this.runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new);
	}

}
