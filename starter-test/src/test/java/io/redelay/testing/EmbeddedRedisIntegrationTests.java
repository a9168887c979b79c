package io.redelay.testing;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.QueueOperations;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(properties = "spring.data.redis.url=redis://nowhere.invalid:1")
@EmbeddedRedis
@Import(EmbeddedRedisIntegrationTests.Transactions.class)
class EmbeddedRedisIntegrationTests {

	@Autowired
	private QueueOperations queues;

	@Autowired
	private QueueTester tester;

	@Autowired
	private RedisServer server;

	@Autowired
	private PlatformTransactionManager transactions;

	@Test
	void aWholeApplicationHasARedisOfItsOwn() {
		this.queues.send("others", "x");
		this.tester.awaitDrained();
		assertThat(this.tester.sent()).hasSent("others", "x").hasSentTo("others", 1);
		assertThat(this.server.port()).isPositive();
	}

	@Test
	void whatIsRolledBackWasNotSent() {
		new TransactionTemplate(this.transactions).executeWithoutResult((status) -> {
			this.queues.send("others", "rolled back");
			status.setRollbackOnly();
		});
		new TransactionTemplate(this.transactions).executeWithoutResult((status) -> {
			this.queues.send("others", "committed");
			assertThat(this.tester.sent()).hasNotSentTo("others");
		});
		assertThat(this.tester.sent()).payloadsTo("others").containsExactly("committed");
	}

	@Test
	void aServerThatKeepsNothingDoesNotWarnOfThat(@Autowired Environment environment) {
		assertThat(environment.getProperty("redelay.guard.persistence")).isEqualTo("off");
		assertThat(environment.getProperty("redelay.queue.far-horizon")).as("pages of messages stay as they are")
			.isEqualTo("0");
	}

	@Nested
	class Inner {

		@Test
		void theAnnotationHoldsForNestedTestsToo(@Autowired QueueOperations queues, @Autowired QueueTester tester) {
			queues.send("others", "nested");
			tester.awaitDrained();
			assertThat(tester.sent()).hasSent("others", "nested");
		}

	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Transactions {

		@Bean
		PlatformTransactionManager transactionManager() {
			return new NoTransactions();
		}

	}

	/**
	 * Transactions of nothing, with the callbacks of real ones.
	 */
	@SuppressWarnings("serial")
	private static final class NoTransactions extends AbstractPlatformTransactionManager {

		@Override
		protected Object doGetTransaction() {
			return new Object();
		}

		@Override
		protected void doBegin(Object transaction, TransactionDefinition definition) {
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
		}

		@Override
		protected void doRollback(DefaultTransactionStatus status) {
		}

	}

}
