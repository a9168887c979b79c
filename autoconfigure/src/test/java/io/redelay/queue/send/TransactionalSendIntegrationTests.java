package io.redelay.queue.send;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;

import javax.sql.DataSource;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueClosedException;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.SendResult;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import io.redelay.test.TestSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.messaging.converter.StringMessageConverter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for sends inside transactions.
 */
@ExtendWith(OutputCaptureExtension.class)
class TransactionalSendIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static ListenerApplication application;

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis)
			.beans(Database.class)
			.with("redelay.queue.send.max-waiting", 1)
			.start();
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void sendsAfterTheCommit() {
		SendResult result = inTransaction(() -> {
			SendResult sent = queues().send(this.queue, "x", Duration.ofMinutes(1));
			assertThat(this.state.messages()).isEmpty();
			return sent;
		});
		assertThat(this.state.messages()).containsOnlyKeys(result.id());
		assertThat(result.due()).isBetween(QueueState.now(redis).plusSeconds(50),
				QueueState.now(redis).plusSeconds(70));
	}

	@Test
	void sendsNothingAfterARollback() {
		CompletableFuture<SendResult> future = new CompletableFuture<>();
		assertThatIllegalStateException().isThrownBy(() -> inTransaction(() -> {
			queues().send(this.queue, "x");
			queues().sendAll(List.of(OutboundMessage.to(this.queue, "y")));
			queues().sendAsync(OutboundMessage.to(this.queue, "z")).whenComplete((result, failure) -> {
				if (failure != null) {
					future.completeExceptionally(failure);
				}
			});
			throw new IllegalStateException("rolled back");
		}));
		assertThat(this.state.messages()).isEmpty();
		assertThat(future).failsWithin(Duration.ofMinutes(1))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(MessageSendException.class)
			.withMessageContaining("did not commit");
	}

	@Test
	void eachFutureCompletesWithTheOutcomeOfItsOwnMessage() {
		String closed = TestRedis.queue();
		QueueAdmin admin = application.bean(QueueAdmin.class);
		for (String each : List.of(this.queue, closed)) {
			queues().send(each, "known");
			admin.control().close(each);
		}
		List<CompletableFuture<SendResult>> futures = new ArrayList<>();
		assertThatExceptionOfType(QueueClosedException.class).isThrownBy(() -> inTransaction(() -> {
			for (String each : List.of(this.queue, closed)) {
				futures.add(queues().sendAsync(OutboundMessage.to(each, "x")));
			}
			return null;
		}));
		assertThat(futures.get(0)).failsWithin(Duration.ofMinutes(1))
			.withThrowableOfType(ExecutionException.class)
			.withMessageContaining(this.queue);
		assertThat(futures.get(1)).failsWithin(Duration.ofMinutes(1))
			.withThrowableOfType(ExecutionException.class)
			.withMessageContaining(closed);
	}

	@Test
	void anInnerTransactionSendsItsOwn() {
		assertThatIllegalStateException().isThrownBy(() -> inTransaction(() -> {
			queues().send(OutboundMessage.to(this.queue, "outer").id("outer"));
			transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
				.executeWithoutResult((status) -> queues().send(OutboundMessage.to(this.queue, "inner").id("inner")));
			assertThat(this.state.messages()).hasSize(1);
			throw new IllegalStateException("rolled back");
		}));
		assertThat(this.state.messages()).hasSize(1);
		assertThat(this.state.messages().values()).allMatch((each) -> each.get("id").asString().equals("inner"));
	}

	@Test
	void aRollbackToASavepointTakesBackWhatCameAfterIt() {
		inTransaction(() -> {
			queues().send(OutboundMessage.to(this.queue, 1).id("before"));
			nestedAndRolledBack("first");
			queues().send(OutboundMessage.to(this.queue, 1).id("after"));
			nestedAndRolledBack("second");
			return null;
		});
		assertThat(this.state.messages().values()).extracting((each) -> each.get("id").asString())
			.containsExactlyInAnyOrder("before", "after");
	}

	@Test
	void aRollbackToASavepointTakesBackTheFirstSend() {
		inTransaction(() -> {
			nestedAndRolledBack("first");
			return null;
		});
		assertThat(this.state.messages()).isEmpty();
	}

	@Test
	void sendsAtOnceIfTheMessageSaysSo() {
		assertThatIllegalStateException().isThrownBy(() -> inTransaction(() -> {
			queues().send(OutboundMessage.to(this.queue, "x").inTransaction(false));
			assertThat(this.state.messages()).hasSize(1);
			throw new IllegalStateException("rolled back");
		}));
		assertThat(this.state.messages()).hasSize(1);
	}

	@Test
	void sendsAtOnceIfThePropertySaysSo() {
		try (ListenerApplication other = ListenerApplication.on(redis)
			.with("redelay.queue.send.after-commit", false)
			.start()) {
			inTransaction(() -> {
				other.queues().send(this.queue, "now");
				other.queues().send(OutboundMessage.to(this.queue, "later").inTransaction(true));
				assertThat(this.state.messages()).hasSize(1);
				return null;
			});
		}
		assertThat(this.state.messages()).hasSize(2);
	}

	@Test
	void refusesWhatCannotBeSentAtTheCall() {
		inTransaction(() -> {
			assertThatExceptionOfType(MessageSendException.class)
				.isThrownBy(() -> queues().send(this.queue, new QueueTemplateIntegrationTests.Broken()));
			return null;
		});
		assertThat(this.state.messages()).isEmpty();
	}

	@Test
	void aFailureAfterTheCommitReachesTheCaller() {
		QueueOperations failing = failing();
		List<CompletableFuture<SendResult>> futures = new ArrayList<>();
		assertThatExceptionOfType(MessageSendException.class).isThrownBy(() -> inTransaction(() -> {
			failing.send(this.queue, "x");
			futures.add(failing.sendAsync(OutboundMessage.to(this.queue, "y")));
			return null;
		})).withMessageContaining(this.queue).withMessageContaining("no store");
		assertThat(futures.get(0)).failsWithin(Duration.ofMinutes(1));
	}

	@Test
	void sendsMoreThanCanGoTogether() {
		int count = 10_500;
		inTransaction(() -> {
			for (int i = 0; i < count; i++) {
				queues().send(this.queue, i);
			}
			return null;
		});
		assertThat(this.state.ready()).isEqualTo(count);
	}

	@Test
	void completesAFutureAfterTheCommit() {
		CompletableFuture<SendResult> sent = inTransaction(() -> {
			CompletableFuture<SendResult> future = queues().sendAsync(OutboundMessage.to(this.queue, "x").id("seven"));
			assertThat(future).isNotDone();
			return future;
		});
		assertThat(sent).succeedsWithin(Duration.ofMinutes(1)).extracting(SendResult::id).isEqualTo("seven");
		assertThat(this.state.messages()).hasSize(1);
	}

	@Test
	void sendsWhatACallbackOfTheCommitSends() {
		inTransaction(() -> {
			afterCommit(() -> queues().send(OutboundMessage.to(this.queue, 1).id("first of all")));
			return null;
		});
		inTransaction(() -> {
			queues().send(OutboundMessage.to(this.queue, 1).id("waits"));
			afterCommit(() -> {
				SendResult result = queues().send(OutboundMessage.to(this.queue, 1).id("at once"));
				assertThat(result.duplicate()).isFalse();
				assertThat(this.state.messages()).hasSize(3);
			});
			return null;
		});
		assertThat(this.state.messages()).hasSize(3);
	}

	@Test
	void sendsAlthoughAnotherCallbackOfTheCommitFails() {
		assertThatIllegalStateException().isThrownBy(() -> inTransaction(() -> {
			afterCommit(() -> {
				throw new IllegalStateException("somebody else's");
			});
			queues().send(this.queue, "x");
			return null;
		}));
		assertThat(this.state.messages()).hasSize(1);
	}

	@Test
	void reportsWhatACallbackCouldNotSend(CapturedOutput output) {
		QueueOperations failing = failing();
		inTransaction(() -> {
			afterCommit(() -> failing.send(this.queue, "x"));
			return null;
		});
		assertThat(output).contains("is lost").contains(this.queue).contains("no store");
	}

	private static QueueOperations failing() {
		return TestSettings.template(new FailingStore().scripts(), new StringMessageConverter(), TestSettings.SEND);
	}

	private void nestedAndRolledBack(String id) {
		transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult((status) -> {
			queues().send(OutboundMessage.to(this.queue, 1).id(id));
			status.setRollbackOnly();
		});
	}

	private static void afterCommit(Runnable action) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				action.run();
			}

		});
	}

	private static <T> T inTransaction(Supplier<T> action) {
		return transaction(TransactionDefinition.PROPAGATION_REQUIRED).execute((status) -> action.get());
	}

	private static TransactionTemplate transaction(int propagation) {
		TransactionTemplate template = new TransactionTemplate(application.bean(PlatformTransactionManager.class));
		template.setPropagationBehavior(propagation);
		return template;
	}

	private static QueueOperations queues() {
		return application.queues();
	}

	@Configuration(proxyBeanMethods = false)
	static class Database {

		@Bean(destroyMethod = "shutdown")
		DataSource dataSource() {
			return new EmbeddedDatabaseBuilder().generateUniqueName(true).setType(EmbeddedDatabaseType.H2).build();
		}

		@Bean
		JdbcTransactionManager transactionManager(DataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

}
