package io.redelay.autoconfigure;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import io.redelay.lock.LockTemplate;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.listener.QueueErrorHandler;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.RecurringStore;
import io.redelay.test.AbsentRecurringStore;
import io.redelay.test.IdleStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link MissingBeanFailureAnalyzer}.
 */
class MissingBeanFailureAnalyzerTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(QueueAutoConfiguration.class, LockAutoConfiguration.class));

	@Test
	void queuesThatAreSwitchedOff() {
		FailureAnalysis analysis = analyze(
				this.runner.withBean("shop", Shop.class).withPropertyValues("redelay.queue.enabled=false"));
		assertThat(analysis.getDescription()).startsWith("Parameter 0 of constructor in " + Shop.class.getName())
			.endsWith(" needs an io.redelay.queue.QueueOperations, and there is none: 'redelay.queue.enabled' is false,"
					+ " which switches the queues off.");
		assertThat(analysis.getAction())
			.startsWith("Set 'redelay.queue.enabled' to true, or inject an ObjectProvider where there may be none.")
			.contains("@MockitoBean");
	}

	@Test
	void locksThatAreSwitchedOff() {
		FailureAnalysis analysis = analyze(
				this.runner.withBean("till", Till.class).withPropertyValues("redelay.lock.enabled=false"));
		assertThat(analysis.getDescription()).contains("io.redelay.lock.LockTemplate",
				"'redelay.lock.enabled' is false, which switches the locks off.");
	}

	@Test
	void anAutoConfigurationThatTakesNoPart() {
		FailureAnalysis analysis = analyze(new ApplicationContextRunner().withBean("shop", Shop.class)
			.withBean(RedissonClient.class, () -> mock(RedissonClient.class)));
		assertThat(analysis.getDescription()).endsWith(" takes no part in this application. It is excluded, or this is"
				+ " the test of a slice, such as @WebMvcTest.");
		assertThat(analysis.getAction()).startsWith("Remove them from 'spring.autoconfigure.exclude'");
	}

	@Test
	void noClient() {
		FailureAnalysis analysis = analyze(this.runner.withBean("shop", Shop.class));
		assertThat(analysis.getDescription()).endsWith("or there is no RedissonClient, as RedissonAutoConfiguration or"
				+ " DataRedisAutoConfiguration is excluded.");
	}

	@Test
	void otherMissingBeansAreLeftToSpringBoot() {
		assertThat(analyzed(this.runner.withBean("bare", Bare.class)
			.withBean(RedissonClient.class, () -> mock(RedissonClient.class))
			.withBean(QueueScripts.class, () -> new IdleStore().scripts())
			.withBean(RecurringStore.class, AbsentRecurringStore::new)
			.withBean(AdminScripts.class, IdleStore::admin))).isNull();
		assertThat(analyzed(this.runner.withBean("other", Other.class))).isNull();
	}

	private static FailureAnalysis analyze(ApplicationContextRunner runner) {
		return Objects.requireNonNull(analyzed(runner));
	}

	private static @Nullable FailureAnalysis analyzed(ApplicationContextRunner runner) {
		AtomicReference<FailureAnalysis> analysis = new AtomicReference<>();
		AtomicReference<ConfigurableApplicationContext> started = new AtomicReference<>();
		runner.withInitializer(started::set).run((context) -> {
			assertThat(context).hasFailed();
			analysis.set(new MissingBeanFailureAnalyzer(started.get().getBeanFactory(), started.get().getEnvironment())
				.analyze(context.getStartupFailure()));
		});
		return analysis.get();
	}

	static class Shop {

		Shop(QueueOperations queues) {
		}

	}

	static class Till {

		Till(LockTemplate locks) {
		}

	}

	static class Bare {

		Bare(QueueErrorHandler handler) {
		}

	}

	static class Other {

		Other(StringBuilder text) {
		}

	}

}
