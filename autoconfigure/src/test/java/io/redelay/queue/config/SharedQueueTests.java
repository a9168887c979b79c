package io.redelay.queue.config;

import io.redelay.autoconfigure.QueueAutoConfiguration;
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
 * Two listeners of one queue in one application.
 */
@ExtendWith(OutputCaptureExtension.class)
class SharedQueueTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(QueueAutoConfiguration.class))
		.withBean(RedissonClient.class, () -> mock(RedissonClient.class))
		.withBean(QueueScripts.class, () -> new IdleStore().scripts())
		.withBean(RecurringStore.class, AbsentRecurringStore::new)
		.withBean(AdminScripts.class, IdleStore::admin);

	@Test
	void twoListenersOfOneQueueAreReported(CapturedOutput output) {
		this.runner.withBean("first", Orders.class)
			.withBean("second", Both.class)
			.run((context) -> assertThat(output).containsOnlyOnce("share the queue 'orders'")
				.contains("'first.handle' and 'second.handle'")
				.doesNotContain("share the queue 'receipts'"));
	}

	static class Orders {

		@QueueListener("orders")
		void handle(String payload) {
		}

	}

	static class Both {

		@QueueListener({ "orders", "receipts" })
		void handle(String payload) {
		}

	}

}
