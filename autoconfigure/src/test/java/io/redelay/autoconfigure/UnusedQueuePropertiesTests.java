package io.redelay.autoconfigure;

import io.redelay.queue.QueueListener;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.RecurringStore;
import io.redelay.test.AbsentRecurringStore;
import io.redelay.test.IdleStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.redisson.api.RedissonClient;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link UnusedQueueProperties}.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnusedQueuePropertiesTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(QueueAutoConfiguration.class))
		.withBean(RedissonClient.class, () -> mock(RedissonClient.class))
		.withBean(QueueScripts.class, () -> new IdleStore().scripts())
		.withBean(RecurringStore.class, AbsentRecurringStore::new)
		.withBean(AdminScripts.class, IdleStore::admin);

	@Test
	void reportsPropertiesThatNoListenerReads(CapturedOutput output) {
		this.runner.withBean(Listener.class)
			.withPropertyValues("redelay.queue.queues.ordres.concurrency=4",
					"redelay.queue.queues.ordres.backoff.multiplier=3",
					"redelay.queue.queues.ordres.on-conversion-failure=retry",
					"redelay.queue.queues.ordres.dead-letters.max-count=5")
			.run((context) -> assertThat(output).containsOnlyOnce("'redelay.queue.queues.ordres' sets concurrency,"
					+ " backoff, on-conversion-failure, dead-letters, which nothing reads: this application has no @QueueListener of the queue"
					+ " 'ordres'. It listens to [orders]. If it receives from the queue or registers a listener of it later,"));
	}

	@Test
	void reportsFiltersOfUndeclaredGroups(CapturedOutput output) {
		this.runner.withBean(Listener.class)
			.withPropertyValues("redelay.queue.topics.events.groups.eu.filter.region.equal-to=EU")
			.run((context) -> assertThat(output)
				.containsOnlyOnce("'redelay.queue.topics.events.groups.eu' sets a filter, which nothing declares"));
	}

	@Test
	void reportsWeightsOfQueuesThatTakeNoTurns(CapturedOutput output) {
		this.runner.withBean(Listener.class)
			.withPropertyValues("redelay.queue.queues.orders.weight=3")
			.run((context) -> assertThat(output).containsOnlyOnce("'redelay.queue.queues.orders' sets a weight of 3,"
					+ " which nothing reads: no listener of this application has the queue and others that take turns"));
	}

	@Test
	void refusesConditionsThatSayNothing() {
		this.runner.withBean(Listener.class)
			.withPropertyValues("redelay.queue.topics.events.groups.eu.filter.region.prefix=")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("'redelay.queue.topics.events.groups.eu.filter.region'")
				.hasStackTraceContaining("a value that is empty"));
		this.runner.withBean(Listener.class)
			.withPropertyValues("redelay.queue.topics.events.groups.eu.filter.redelay_id.exists=true")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("'redelay_id' is one of Redelay's own"));
	}

	@Test
	void reportsNothingOfPropertiesThatAreRead(CapturedOutput output) {
		this.runner.withBean(Listener.class)
			.withPropertyValues("redelay.queue.queues.orders.concurrency=4",
					"redelay.queue.queues.sent-to.max-length=4", "redelay.queue.queues.sent-to.overflow=drop-oldest")
			.run((context) -> assertThat(output).doesNotContain("which nothing reads"));
	}

	@Test
	void reportsNothingWhereNoListenerIsExpected(CapturedOutput output) {
		this.runner.withBean(Listener.class)
			.withPropertyValues("redelay.queue.listener.enabled=false", "redelay.queue.queues.orders.concurrency=4")
			.run((context) -> assertThat(output).doesNotContain("which nothing reads"));
	}

	static class Listener {

		@QueueListener("orders")
		void handle(String payload) {
		}

	}

}
