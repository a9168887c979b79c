package io.redelay.queue.send;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.SendResult;
import io.redelay.queue.store.LaneStatus;
import io.redelay.queue.store.NewMessage;
import io.redelay.queue.store.RequestProtocol;
import io.redelay.queue.store.SendReply;
import io.redelay.queue.store.SendTerms;
import io.redelay.queue.store.StoreException;
import io.redelay.test.IdleStore;
import io.redelay.test.NoTransactionManager;
import io.redelay.test.TestSettings;
import org.jspecify.annotations.Nullable;
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

	private final List<String> sent = new ArrayList<>();

	private @Nullable StoreException failure;

	private final QueueTemplate queues = TestSettings.template(new IdleStore() {

		@Override
		public RequestProtocol<NewMessage, SendReply> sends(String queue, SendTerms terms) {
			RequestProtocol<NewMessage, SendReply> sends = super.sends(queue, terms);
			return new RequestProtocol<>(sends.settings(), sends.bytes(), sends.open(),
					(lane, seq, renews, messages, attempt) -> send(messages), sends.check());
		}

	}, new JacksonJsonMessageConverter(), TestSettings.SEND);

	private final TransactionTemplate transaction = new TransactionTemplate(new NoTransactionManager());

	private CompletableFuture<SendReply> send(List<NewMessage> messages) {
		if (this.failure != null) {
			return CompletableFuture.failedFuture(this.failure);
		}
		messages.forEach((message) -> this.sent.add(new String(message.envelope(), StandardCharsets.UTF_8)));
		return CompletableFuture.completedFuture(new SendReply(LaneStatus.OK, Instant.now(), Map.of(), List.of()));
	}

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
	void sendsAtOnceWhenToldTo() {
		this.transaction.executeWithoutResult((status) -> {
			this.queues.send(OutboundMessage.to("q", "one").inTransaction(false));
			assertSent("one");
			status.setRollbackOnly();
		});
		assertSent("one");
	}

	@Test
	void tellsCallerOfTransactionThatMessageWasNotSent() {
		this.failure = new StoreException("full", null);
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

}
