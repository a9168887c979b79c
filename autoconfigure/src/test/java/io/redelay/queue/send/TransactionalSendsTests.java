package io.redelay.queue.send;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.SendResult;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.request.StoreException;
import io.redelay.test.IdleStore;
import io.redelay.test.NoTransactionManager;
import io.redelay.test.TestSettings;
import org.junit.jupiter.api.Test;

import org.springframework.messaging.converter.JacksonJsonMessageConverter;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link TransactionalSends}.
 */
class TransactionalSendsTests {

	private final Store store = new Store();

	private final List<String> sent = new ArrayList<>();

	private final QueueTemplate queues = TestSettings.template(this.store.scripts(), new JacksonJsonMessageConverter(),
			TestSettings.SEND);

	private final TransactionTemplate transaction = new TransactionTemplate(new NoTransactionManager());

	@Test
	void sendsAfterCommit() {
		this.transaction.executeWithoutResult((status) -> {
			this.queues.send("q", "one");
			assertThat(this.sent).isEmpty();
		});
		assertSent("one");
	}

	@Test
	void sendsNothingAfterRollback() {
		CompletableFuture<SendResult> result = this.transaction.execute((status) -> {
			this.queues.send("q", "one");
			status.setRollbackOnly();
			return this.queues.sendAsync(OutboundMessage.to("q", "two"));
		});
		assertThat(this.sent).isEmpty();
		assertThat(result).isCompletedExceptionally();
	}

	@Test
	void sendsAtOnceOnRequest() {
		this.transaction.executeWithoutResult((status) -> {
			this.queues.send(OutboundMessage.to("q", "one").inTransaction(false));
			assertSent("one");
			status.setRollbackOnly();
		});
		assertSent("one");
	}

	@Test
	void failsTheCallerOfTransactionIfMessageWasNotSent() {
		this.store.full = true;
		assertThatExceptionOfType(MessageSendException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> this.queues.send("q", "one")));
	}

	@Test
	void sendsWhatIsSentAfterCommitForTheFirstTime() {
		this.transaction.executeWithoutResult((status) -> afterCommit(() -> this.queues.send("q", "one")));
		assertSent("one");
	}

	@Test
	void sendsWhatIsSentAfterCommitOnceMore() {
		this.transaction.executeWithoutResult((status) -> {
			this.queues.send("q", "one");
			afterCommit(() -> this.queues.send("q", "two"));
		});
		assertSent("one", "two");
	}

	@Test
	void completesFutureOfWhatIsSentAfterCommit() {
		List<CompletableFuture<SendResult>> results = new ArrayList<>();
		this.transaction.executeWithoutResult((status) -> {
			this.queues.send("q", "one");
			afterCommit(() -> results.add(this.queues.sendAsync(OutboundMessage.to("q", "two").id("2"))));
		});
		assertThat(results).singleElement()
			.satisfies((result) -> assertThat(result).succeedsWithin(Duration.ofMinutes(1))
				.extracting(SendResult::id)
				.isEqualTo("2"));
	}

	@Test
	void sendsWhatIsSentAfterCompletion() {
		this.transaction.executeWithoutResult(
				(status) -> TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

					@Override
					public void afterCompletion(int status) {
						TransactionalSendsTests.this.queues.send("q", "one");
					}

				}));
		assertSent("one");
	}

	private void assertSent(String... payloads) {
		assertThat(this.sent).hasSameSizeAs(payloads);
		for (int i = 0; i < payloads.length; i++) {
			assertThat(this.sent.get(i)).contains('"' + payloads[i] + '"');
		}
	}

	private static void afterCommit(Runnable action) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCommit() {
				action.run();
			}

		});
	}

	private final class Store extends IdleStore {

		private boolean full;

		@Override
		protected CompletableFuture<SendReply> send(String queue, SendRequest request) {
			if (this.full) {
				return CompletableFuture.failedFuture(new StoreException("full", null));
			}
			request.messages()
				.forEach((message) -> TransactionalSendsTests.this.sent
					.add(new String(message.envelope(), StandardCharsets.UTF_8)));
			return super.send(queue, request);
		}

	}

}
