package io.redelay.docs;

// tag::test[]
import java.time.Duration;

import io.redelay.queue.QueueOperations;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

class PaymentTimeoutTests {

	private final QueueOperations queues = mock(QueueOperations.class);

	private final Orders orders = new Orders();

	private final PaymentTimeout timeout = new PaymentTimeout(this.queues, this.orders);

	@Test
	void timeIsUpHalfAnHourLater() {
		this.timeout.start("7");
		then(this.queues).should().send("payment-timeout", new PaymentTimeout.TimeIsUp("7"), Duration.ofMinutes(30));
	}

	@Test
	void orderIsCancelled() {
		this.timeout.cancel(new PaymentTimeout.TimeIsUp("7"));
		assertThat(this.orders.reported).containsExactly("cancel 7");
	}

}
// end::test[]
