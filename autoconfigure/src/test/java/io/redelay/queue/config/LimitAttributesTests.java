package io.redelay.queue.config;

import java.time.Duration;
import java.util.List;

import io.redelay.queue.QueueListener;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.script.QueueScripts;
import io.redelay.test.IdleStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests of how limits are declared, and of the refusal of what cannot be a limit.
 */
class LimitAttributesTests {

	@Test
	void theAttributesAreRead() {
		runner().withBean("theListener", Limited.class).run((context) -> {
			ContainerSettings settings = settings(context);
			assertThat(settings.queue("the.queue").limits())
				.isEqualTo(new ClaimLimits(new RateLimit(100, Duration.ofSeconds(1), true), 7,
						new RateLimit(3, Duration.ofMinutes(1), false), 2, null));
			assertThat(settings.concurrency().prefetch()).as("nothing is held beyond what handlers have").isZero();
		});
	}

	@Test
	void aListenerWithoutThemHasNoLimits() {
		runner().withBean("theListener", Unlimited.class).run((context) -> {
			assertThat(settings(context).queue("the.queue").limits()).isEqualTo(ClaimLimits.NONE);
			assertThat(settings(context).concurrency().prefetch()).isNull();
		});
	}

	@Test
	void thePropertiesOfAQueueGoBeforeTheAnnotation() {
		runner().withBean("theListener", Limited.class)
			.withPropertyValues("redelay.queue.queues[the.queue].rate-limit=5/2s",
					"redelay.queue.queues[the.queue].shared-limit=bank", "redelay.queue.listener.max-in-flight=99",
					"redelay.queue.listener.prefetch=30", "redelay.queue.limits.bank.rate=9/1s bursting",
					"redelay.queue.limits.bank.max-in-flight=4")
			.run((context) -> {
				ClaimLimits limits = settings(context).queue("the.queue").limits();
				assertThat(limits.rate()).isEqualTo(new RateLimit(5, Duration.ofSeconds(2), false));
				assertThat(limits.maxInFlight()).isEqualTo(7);
				assertThat(limits.shared())
					.isEqualTo(new ClaimLimits.Shared("bank", new RateLimit(9, Duration.ofSeconds(1), true), 4));
			});
	}

	static List<Arguments> refused() {
		return List.of(
				arguments("rate-limit=abc", "'redelay.queue.queues[the.queue].rate-limit'", "'abc' is not a rate",
						"Write a rate like 100/1s"),
				arguments("rate-limit=0/1s", "[the.queue].rate-limit'", "1 to 1000000 messages: 0",
						"Write a rate like 100/1s"),
				arguments("rate-limit=5/0s", "[the.queue].rate-limit'",
						"window of a rate must be 1 ms to 366 days: PT0S", "Write"),
				arguments("rate-limit=5/soon", "[the.queue].rate-limit'", "'soon' is not a duration", "Write a rate"),
				arguments("rate-limit=5/1s always", "[the.queue].rate-limit'", "'5/1s always' is not a rate",
						"bursting"),
				arguments("key-rate-limit=-1/1s", "[the.queue].key-rate-limit'", "'-1/1s' is not a rate",
						"Write a rate"),
				arguments("max-in-flight=0", "'redelay.queue.queues[the.queue].max-in-flight'", "1 to 1000000: 0",
						"Correct the property"),
				arguments("key-max-in-flight=-3", "[the.queue].key-max-in-flight'", "1 to 1000000: -3",
						"Correct the property"),
				arguments("prefetch=5", "'redelay.queue.queues[the.queue].prefetch'",
						"must be 0, for claims are limited: 5", "Correct the property"),
				arguments("shared-limit=nowhere", "'redelay.queue.queues[the.queue].shared-limit'",
						"no limit named 'nowhere' is configured: there is none",
						"Set redelay.queue.limits.nowhere.rate"));
	}

	@ParameterizedTest
	@MethodSource
	void refused(String property, String attribute, String problem, String mend) {
		runner().withBean("theListener", Limited.class)
			.withPropertyValues("redelay.queue.queues[the.queue]." + property)
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOf(InvalidQueueListenerException.class)
				.hasMessageContaining("'theListener'")
				.hasMessageContaining("Limited.handle")
				.hasMessageContaining(attribute)
				.hasMessageContaining(problem)
				.hasMessageContaining(mend));
	}

	@Test
	void aLimitOfAQueueWithPartitionsIsRefused() {
		runner().withBean("theListener", Limited.class)
			.withPropertyValues("redelay.queue.queues[the.queue].partitions=3")
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOf(InvalidQueueListenerException.class)
				.hasMessageContaining("'rateLimit'")
				.hasMessageContaining("has 3 partitions")
				.hasMessageContaining("partitions=1"));
	}

	@Test
	void aSharedLimitOnAClusterIsRefused() {
		new ApplicationContextRunner().withUserConfiguration(ClusterWiring.class)
			.withBean("theListener", Unlimited.class)
			.withPropertyValues("redelay.queue.queues[the.queue].shared-limit=bank",
					"redelay.queue.limits.bank.rate=1/1s")
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOf(InvalidQueueListenerException.class)
				.hasMessageContaining("'theListener'")
				.hasMessageContaining("'redelay.queue.queues[the.queue].shared-limit'")
				.hasMessageContaining("several masters of a Redis Cluster")
				.hasMessageContaining("a fairness key for each kind"));
	}

	static List<Arguments> refusedSharedLimits() {
		return List.of(arguments("bank.rate=abc", "'redelay.queue.limits.bank'", "'abc' is not a rate"),
				arguments("bank.max-in-flight=0", "'redelay.queue.limits.bank.max-in-flight'", "at least 1: 0"),
				arguments("[a{b}].max-in-flight=1", "'redelay.queue.limits.a{b}'", "letters, digits"));
	}

	@ParameterizedTest
	@MethodSource
	void refusedSharedLimits(String property, String place, String problem) {
		runner().withBean("theListener", Limited.class)
			.withPropertyValues(("redelay.queue.limits." + property).replace(".[", "["))
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining(place)
				.hasStackTraceContaining(problem));
	}

	private static ContainerSettings settings(AssertableApplicationContext context) {
		return context.getBean(QueueListenerEndpointRegistry.class).getContainers().iterator().next().getSettings();
	}

	private static ApplicationContextRunner runner() {
		return new ApplicationContextRunner().withUserConfiguration(IdleStore.Wiring.class)
			.withPropertyValues("the.rate=100/1s", "redelay.queue.shutdown-timeout=100ms");
	}

	@Configuration(proxyBeanMethods = false)
	@Import(IdleStore.Wiring.class)
	static class ClusterWiring {

		@Bean
		@Primary
		QueueScripts clusteredStore() {
			return new IdleStore().scripts();
		}

	}

	static class Limited {

		@QueueListener(queues = "the.queue", rateLimit = "${the.rate} bursting", maxInFlight = "#{3 + 4}",
				keyRateLimit = "3 / 1m", keyMaxInFlight = "2")
		void handle(String text) {
		}

	}

	static class Unlimited {

		@QueueListener(queues = "the.queue")
		void handle(String text) {
		}

	}

}
