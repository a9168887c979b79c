package io.redelay.autoconfigure;

import io.redelay.queue.QueueOperations;
import io.redelay.queue.ReactiveQueueOperations;
import io.redelay.queue.send.ReactiveQueueTemplate;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link ReactiveQueueAutoConfiguration}.
 */
class ReactiveQueueAutoConfigurationTests {

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(ReactiveQueueAutoConfiguration.class));

	@Test
	void sendsByTheQueueOperations() {
		this.application.withBean(QueueOperations.class, () -> mock(QueueOperations.class))
			.run((context) -> assertThat(context).hasSingleBean(ReactiveQueueTemplate.class));
	}

	@Test
	void backsOffFromTheApplicationsOwn() {
		this.application.withBean(QueueOperations.class, () -> mock(QueueOperations.class))
			.withBean(ReactiveQueueOperations.class, () -> mock(ReactiveQueueOperations.class))
			.run((context) -> assertThat(context).hasSingleBean(ReactiveQueueOperations.class)
				.doesNotHaveBean(ReactiveQueueTemplate.class));
	}

	@Test
	void needsReactor() {
		this.application.withBean(QueueOperations.class, () -> mock(QueueOperations.class))
			.withClassLoader(new FilteredClassLoader(Mono.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("reactiveQueueTemplate"));
	}

	@Test
	void choosesNothingAmongSeveralServers() {
		this.application.withBean("one", QueueOperations.class, () -> mock(QueueOperations.class))
			.withBean("other", QueueOperations.class, () -> mock(QueueOperations.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ReactiveQueueOperations.class));
	}

	@Test
	void needsSomethingToSendWith() {
		this.application
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(ReactiveQueueOperations.class));
	}

}
