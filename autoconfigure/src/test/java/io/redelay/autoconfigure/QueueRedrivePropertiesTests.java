package io.redelay.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Set;

import io.redelay.queue.DeathReason;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RedriveRule;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.RecurringStore;
import io.redelay.test.AbsentRecurringStore;
import io.redelay.test.IdleStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link QueueRedriveProperties}.
 */
class QueueRedrivePropertiesTests {

	private static final String OF_ALL = "redelay.queue.dead-letters.redrive.";

	private static final String OF_ORDERS = "redelay.queue.queues.orders.dead-letters.redrive.";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(QueueAutoConfiguration.class))
		.withPropertyValues("redelay.queue.listener.auto-startup=false")
		.withBean(RedissonClient.class, () -> mock(RedissonClient.class))
		.withBean(QueueScripts.class, () -> new IdleStore().scripts())
		.withBean(RecurringStore.class, AbsentRecurringStore::new)
		.withBean(AdminScripts.class, IdleStore::admin);

	@Test
	void byDefaultNothingIsRedriven() {
		assertThat(rule(OF_ALL + "rounds=7")).isNull();
	}

	@Test
	void aDelayIsEnough() {
		assertThat(rule(OF_ALL + "delay=1h")).isEqualTo(new RedriveRule(Duration.ofHours(1), null, null, 3, 10,
				Set.of(DeathReason.FAILED, DeathReason.CRASHED, DeathReason.DEADLINE, DeathReason.EXPIRED)));
	}

	@Test
	void aQueueTakesFromAllWhatItDoesNotSay() {
		assertThat(rule(OF_ALL + "delay=1h", OF_ALL + "rounds=5", OF_ALL + "rate=100/1m", OF_ORDERS + "rounds=2"))
			.isEqualTo(new RedriveRule(Duration.ofHours(1), null, null, 2, 100 / 60d, RedriveRule.DEFAULT_REASONS));
	}

	@Test
	void theTimesOfAQueueReplaceThoseOfAll() {
		assertThat(rule(OF_ALL + "delay=1h", OF_ORDERS + "cron=@daily", OF_ORDERS + "zone=Europe/Berlin",
				OF_ORDERS + "reasons=rejected,buried"))
			.isEqualTo(new RedriveRule(null, "@daily", "Europe/Berlin", 3, 10,
					Set.of(DeathReason.REJECTED, DeathReason.BURIED)));
	}

	@Test
	void aQueueCanBeLeftOut() {
		assertThat(rule(OF_ALL + "delay=1h", OF_ORDERS + "cron=-")).isNull();
	}

	@Test
	void whereDeadMessagesAreHandedOnTheRuleOfAllQueuesHasNothingToRedrive() {
		assertThat(rule(OF_ALL + "delay=1h", "redelay.queue.queues.orders.dead-letter-queue=failed")).isNull();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			delay=1h;cron=@daily               | delay                  | cron
			rounds=0;delay=1h                  | rounds                 | 1 to 1000: 0
			rounds=-1;delay=1h                 | rounds                 | 1 to 1000: -1
			rate=0/1s;delay=1h                 | rate                   | 0/1s
			rate=10/1s bursting;delay=1h       | rate                   | leave out 'bursting'
			delay=0s                           | delay                  | 1ms
			delay=4000d                        | delay                  | 3650d
			cron=every day                     | cron                   | six fields
			cron=0 0 0 30 2 *                  | cron                   | has no time
			cron=@daily;zone=Mars              | zone                   | Europe/Berlin
			delay=1h;zone=UTC                  | zone                   | leave out 'UTC'
			""")
	void whatMakesNoSenseIsRefused(String properties, String named, String mend) {
		for (String group : List.of(OF_ALL, OF_ORDERS)) {
			String[] values = List.of(properties.split(";"))
				.stream()
				.map((each) -> group + each)
				.toArray(String[]::new);
			this.runner.withBean(Orders.class)
				.withPropertyValues(values)
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.hasMessageContaining("'" + group + named + "'")
					.hasMessageContaining(mend));
		}
	}

	@Test
	void aQueueThatSaysNothingOfTheTimeIsRefused() {
		this.runner.withBean(Orders.class)
			.withPropertyValues(OF_ORDERS + "rounds=2")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("add '" + OF_ORDERS + "delay' or '" + OF_ORDERS + "cron'"));
	}

	@Test
	void aRuleAndADeadLetterQueueAreRefusedTogether() {
		this.runner.withBean(Orders.class)
			.withPropertyValues(OF_ORDERS + "delay=1h", "redelay.queue.queues.orders.dead-letter-queue=failed")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("redelay.queue.queues.orders.dead-letter-queue")
				.hasStackTraceContaining(
						"none is left to be redriven by 'redelay.queue.queues.orders.dead-letters.redrive'")
				.hasStackTraceContaining("Leave out one of the two"));
	}

	@Test
	void aRuleAndAListenerOfTheDeadAreRefusedTogether() {
		this.runner.withBean(DeadOrders.class)
			.withPropertyValues(OF_ORDERS + "delay=1h")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("deadLettersOf")
				.hasStackTraceContaining("give the rule to the queue 'orders.dead'"));
	}

	private RedriveRule rule(String... properties) {
		RedriveRule[] rule = new RedriveRule[1];
		this.runner.withBean(Orders.class)
			.withPropertyValues(properties)
			.run((context) -> rule[0] = context.getBean(QueueListenerEndpointRegistry.class)
				.getContainers()
				.iterator()
				.next()
				.getSettings()
				.queue("orders")
				.failures()
				.deadLetters()
				.redrive());
		return rule[0];
	}

	static class Orders {

		@QueueListener("orders")
		void handle(String payload) {
		}

	}

	static class DeadOrders {

		@QueueListener(deadLettersOf = "orders")
		void handle(String payload) {
		}

	}

}
