package io.redelay.queue.send;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PublishResult;
import io.redelay.queue.QueueClosedException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.ReactiveQueueOperations;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.SendResult;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Mono;

import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link ReactiveQueueOperations}.
 */
class ReactiveQueueOperationsIntegrationTests {

	private static final Duration LONG = Duration.ofMinutes(1);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static ListenerApplication application;

	private static ReactiveQueueOperations queues;

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private final TransactionalOperator transaction = TransactionalOperator.create(new Transactions());

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis).bean(new Doubling()).with("doubled", TestRedis.queue()).start();
		queues = application.bean(ReactiveQueueOperations.class);
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void sendsOncePerSubscription() {
		Mono<SendResult> send = queues.send(this.queue, "x", Duration.ofMinutes(1));
		assertThat(this.state.messages()).isEmpty();
		String first = send.block(LONG).id();
		String second = send.block(LONG).id();
		assertThat(this.state.messages()).containsOnlyKeys(first, second);
	}

	@Test
	void sendsNowAndAtATime() {
		Instant due = QueueState.now(redis).plusSeconds(3600);
		assertThat(queues.send(this.queue, "x").block(LONG).outcome()).isEqualTo(SendOutcome.ADDED);
		assertThat(queues.sendAt(this.queue, "x", due).block(LONG).due()).isBetween(due, due.plusMillis(1));
		assertThat(application.bean(QueueAdmin.class).queues().info(this.queue).scheduled()).isOne();
	}

	@Test
	void publishesToAGroup() {
		PublishResult result = queues.publish(this.queue, "x").block(LONG);
		assertThat(result.topic()).isEqualTo(this.queue);
		assertThat(result.groups()).isEmpty();
	}

	@Test
	void emitsWhatTheHandlerReturned() {
		String doubled = application.context().getEnvironment().getRequiredProperty("doubled");
		assertThat(queues.sendForResult(OutboundMessage.to(doubled, 21), Integer.class).block(LONG)).isEqualTo(42);
	}

	@Test
	void aRefusedSendIsAnError() {
		queues.send(this.queue, "x").block(LONG);
		application.bean(QueueAdmin.class).control().close(this.queue);
		assertThatExceptionOfType(QueueClosedException.class)
			.isThrownBy(() -> queues.send(this.queue, "x").block(LONG));
	}

	@Test
	void aMessageThatCannotBeConvertedIsAnErrorOfTheMono() {
		Mono<SendResult> send = queues.send(this.queue, new Object() {

			@Override
			public String toString() {
				return "unwritable";
			}

			@SuppressWarnings("unused")
			public Object getSelf() {
				throw new IllegalStateException("unwritable");
			}

		});
		assertThatExceptionOfType(MessageSendException.class).isThrownBy(() -> send.block(LONG));
	}

	@Test
	void sendsAfterTheCommit() {
		Mono<List<String>> work = queues.send(this.queue, "a")
			.zipWith(queues.send(this.queue, "b"))
			.doOnNext((sent) -> assertThat(this.state.messages()).isEmpty())
			.map((sent) -> List.of(sent.getT1().id(), sent.getT2().id()));
		assertThat(this.state.messages()).isEmpty();
		List<String> ids = work.as(this.transaction::transactional).block(LONG);
		assertThat(this.state.messages()).containsOnlyKeys(ids);
	}

	@Test
	void sendsNothingAfterARollback() {
		Mono<SendResult> work = queues.send(this.queue, "a")
			.flatMap((sent) -> Mono.error(new IllegalStateException("own")));
		assertThatIllegalStateException().isThrownBy(() -> work.as(this.transaction::transactional).block(LONG))
			.withMessage("own");
		assertThat(this.state.messages()).isEmpty();
	}

	@Test
	void sendsAtOnceWhatIsNotToAwaitTheCommit() {
		Mono<SendResult> work = queues.send(OutboundMessage.to(this.queue, "a").inTransaction(false))
			.doOnNext((sent) -> assertThat(this.state.messages()).containsOnlyKeys(sent.id()));
		assertThat(work.as(this.transaction::transactional).block(LONG)).isNotNull();
	}

	@Test
	void aFailureAfterTheCommitReachesTheSubscriberOfTheTransaction() {
		queues.send(this.queue, "x").block(LONG);
		application.bean(QueueAdmin.class).control().close(this.queue);
		String open = TestRedis.queue();
		Mono<SendResult> work = queues.send(this.queue, "a").then(queues.send(open, "b"));
		assertThatException().isThrownBy(() -> work.as(this.transaction::transactional).block(LONG))
			.satisfies((ex) -> assertThat(ex.getSuppressed()).hasAtLeastOneElementOfType(QueueClosedException.class));
		assertThat(QueueState.of(redis, open).messages()).hasSize(1);
	}

	static class Doubling {

		@QueueListener("${doubled}")
		int handle(int number) {
			return 2 * number;
		}

	}

	/**
	 * Transactions without anything to write.
	 */
	@SuppressWarnings("serial")
	private static final class Transactions extends AbstractReactiveTransactionManager {

		@Override
		protected Object doGetTransaction(TransactionSynchronizationManager manager) {
			return new Object();
		}

		@Override
		protected Mono<Void> doBegin(TransactionSynchronizationManager manager, Object transaction,
				TransactionDefinition definition) {
			return Mono.empty();
		}

		@Override
		protected Mono<Void> doCommit(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
			return Mono.empty();
		}

		@Override
		protected Mono<Void> doRollback(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
			return Mono.empty();
		}

	}

}
