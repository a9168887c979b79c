package io.redelay.docs;

import io.redelay.queue.MessageState;
import io.redelay.queue.admin.QueueAdmin;
// tag::test[]
import io.redelay.queue.admin.QueueInfo;
// end::test[]
import org.junit.jupiter.api.AfterEach;
// tag::test[]
import org.junit.jupiter.api.Test;

// end::test[]
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
// tag::test[]
import org.springframework.boot.test.context.SpringBootTest;
// end::test[]
import org.springframework.context.annotation.Import;
import org.springframework.test.annotation.DirtiesContext;
// tag::test[]
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

// end::test[]
@DirtiesContext
// tag::test[]
@SpringBootTest(properties = "redelay.embedded-redis.port=0")
@Transactional
class TransactionalTestIntegrationTests {

	// end::test[]
	@Autowired
	private PaymentTimeout timeout;

	@Autowired
	private QueueAdmin admin;

	@AfterEach
	void purge() {
		this.admin.control().purge("payment-timeout", MessageState.SCHEDULED);
	}

	// tag::test[]
	@Test
	void nothingIsSentBeforeTheCommit() {
		this.timeout.start("7");
		assertThat(scheduled()).isZero(); // <1>
		TestTransaction.flagForCommit();
		TestTransaction.end();
		assertThat(scheduled()).isOne(); // <2>
	}

	@Test
	@Transactional(propagation = Propagation.NOT_SUPPORTED) // <3>
	void withoutATransactionItIsSentAtOnce() {
		this.timeout.start("8");
		assertThat(scheduled()).isOne();
	}

	private long scheduled() {
		return this.admin.queues().infos().values().stream().mapToLong(QueueInfo::scheduled).sum();
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
