package io.redelay.docs;

// tag::test[]
import java.time.Duration;
import java.util.List;

import io.redelay.queue.MessageState;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueuedMessage;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
// end::test[]
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
// tag::test[]
import org.springframework.boot.test.context.SpringBootTest;
// end::test[]
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
// tag::test[]

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

// end::test[]
@DirtiesContext
// tag::test[]
@SpringBootTest(properties = "redelay.embedded-redis.port=0")
class PaymentTimeoutIntegrationTests {

	@Autowired
	private PaymentTimeout timeout;

	@Autowired
	private Orders orders;

	@Autowired
	private QueueAdmin admin;

	@Test
	void unpaidOrderIsCancelled() {
		this.timeout.start("7");
		List<QueuedMessage> scheduled = this.admin.messages()
			.browse("payment-timeout", MessageState.SCHEDULED, 0, 10)
			.messages();
		assertThat(scheduled).hasSize(1);
		QueuedMessage message = scheduled.get(0);
		assertThat(Duration.between(message.sentAt(), message.dueAt())).isGreaterThanOrEqualTo(Duration.ofMinutes(30));
		this.admin.messages().runNow("payment-timeout", message.id()); // <1>
		await().untilAsserted(() -> assertThat(this.orders.reported).contains("cancel 7")); // <2>
	}
	// end::test[]

	@SpringBootConfiguration
	@EnableAutoConfiguration
	@Import({ PaymentTimeout.class, Orders.class })
	static class Application {

	}
	// tag::test[]

}
// end::test[]
