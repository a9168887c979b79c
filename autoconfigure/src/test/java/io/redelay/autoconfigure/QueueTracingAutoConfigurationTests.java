package io.redelay.autoconfigure;

import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.propagation.Propagator;
import io.redelay.queue.observation.QueueTracingHandler;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueTracingAutoConfiguration}.
 */
class QueueTracingAutoConfigurationTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(QueueTracingAutoConfiguration.class));

	@Test
	void linksIfThereIsATracer() {
		traced().run((context) -> assertThat(context).hasSingleBean(QueueTracingHandler.class));
	}

	@Test
	void backsOff() {
		QueueTracingHandler own = new QueueTracingHandler(Tracer.NOOP, Propagator.NOOP);
		traced().withBean("own", QueueTracingHandler.class, () -> own)
			.run((context) -> assertThat(context.getBean(QueueTracingHandler.class)).isSameAs(own));
	}

	@Test
	void doesNothingWithoutATracer() {
		this.runner.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(QueueTracingHandler.class));
	}

	@Test
	void doesNothingWithoutMicrometerTracing() {
		this.runner.withClassLoader(new FilteredClassLoader("io.micrometer.tracing"))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("queueTracingHandler"));
	}

	@Test
	void doesNothingWithoutQueues() {
		traced().withPropertyValues("redelay.queue.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(QueueTracingHandler.class));
	}

	private ApplicationContextRunner traced() {
		return this.runner.withBean(Tracer.class, () -> Tracer.NOOP).withBean(Propagator.class, () -> Propagator.NOOP);
	}

}
