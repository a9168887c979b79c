package io.redelay.queue.send;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.SendInterceptor;
import io.redelay.queue.SendResult;
import io.redelay.test.ListenerApplication;
import io.redelay.test.NoTransactionManager;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.annotation.Order;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link SendInterceptor}.
 */
@ExtendWith(OutputCaptureExtension.class)
class SendInterceptorIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final List<String> events = new CopyOnWriteArrayList<>();

	private static ListenerApplication application;

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private final TransactionTemplate transaction = new TransactionTemplate(new NoTransactionManager());

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis).bean(new Inner()).bean(new Outer()).start();
	}

	@AfterAll
	static void close() {
		application.close();
	}

	@BeforeEach
	void forget() {
		events.clear();
	}

	@Test
	void areAroundASendInTheirOrder() {
		application.queues().send(message("one"));
		assertThat(events).containsExactly("outer before one", "inner before one", "inner after one sent",
				"outer after one sent");
	}

	@Test
	void mayReplaceWhatIsSent() {
		application.queues().send(message("one").header("change", "headers"));
		assertThat(this.state.messages().values()).singleElement()
			.satisfies((envelope) -> assertThat(envelope.get("headers").get("added").asString()).isEqualTo("by outer"));
		assertThat(this.state.scheduled()).isEqualTo(1);
	}

	@Test
	void maySendItElsewhere() {
		SendResult result = application.queues()
			.send(message("one").header("change", "queue " + this.queue + ".other"));
		assertThat(result.queue()).isEqualTo(this.queue + ".other");
		assertThat(this.state.messages()).isEmpty();
		assertThat(QueueState.of(redis, this.queue + ".other").messages()).hasSize(1);
	}

	@Test
	void theQueueThatOneChoosesIsChecked() {
		assertThatExceptionOfType(IllegalArgumentException.class)
			.isThrownBy(() -> application.queues().send(message("one").header("change", "queue a{b}")))
			.withMessageContaining("a{b}");
		assertThat(events).endsWith("inner after one IllegalArgumentException",
				"outer after one IllegalArgumentException");
	}

	@Test
	void mayRefuseASend() {
		assertThatIllegalStateException()
			.isThrownBy(() -> application.queues().send(message("one").header("change", "refuse")))
			.withMessage("refused");
		assertThat(this.state.messages()).isEmpty();
		assertThat(events).containsExactly("outer before one", "inner before one",
				"outer after one IllegalStateException");
	}

	@Test
	void nothingOfSeveralIsSentWhenOneIsRefused() {
		assertThatIllegalStateException().isThrownBy(() -> application.queues()
			.sendAll(List.of(message("one"), message("two").header("change", "refuse"), message("three"))));
		assertThat(this.state.messages()).isEmpty();
		assertThat(events).containsExactly("outer before one", "inner before one", "outer before two",
				"inner before two", "outer after two IllegalStateException", "inner after one IllegalStateException",
				"outer after one IllegalStateException");
	}

	@Test
	void areAroundEachOfSeveral() {
		application.queues().sendAll(List.of(message("one"), message("two")));
		assertThat(events).hasSize(8)
			.endsWith("inner after one sent", "outer after one sent", "inner after two sent", "outer after two sent");
	}

	@Test
	void areNotifiedBeforeAFutureCompletes() throws Exception {
		application.queues().sendAsync(message("one")).get();
		assertThat(events).hasSize(4).endsWith("inner after one sent", "outer after one sent");
		assertThatExceptionOfType(ExecutionException.class)
			.isThrownBy(() -> application.queues().sendAsync(message("two").header("change", "refuse")).get())
			.withMessageContaining("refused");
	}

	@Test
	void areNotifiedOfWhatWasNotSent() {
		assertThatExceptionOfType(MessageSendException.class).isThrownBy(
				() -> application.queues().send(OutboundMessage.to(this.queue, "x".repeat(2_000_000)).id("big")));
		assertThat(events).endsWith("inner after big MessageSendException", "outer after big MessageSendException");
	}

	@Test
	void areNotifiedAfterTheCommit() {
		this.transaction.executeWithoutResult((status) -> {
			application.queues().send(message("one"));
			assertThat(events).containsExactly("outer before one", "inner before one");
		});
		assertThat(events).hasSize(4).endsWith("inner after one sent", "outer after one sent");
		assertThat(this.state.messages()).hasSize(1);
	}

	@Test
	void areNotifiedAfterTheRollback() {
		this.transaction.executeWithoutResult((status) -> {
			application.queues().send(message("one"));
			status.setRollbackOnly();
		});
		assertThat(events).hasSize(4)
			.endsWith("inner after one MessageSendException", "outer after one MessageSendException");
	}

	@Test
	void oneThatFailsAfterwardsBreaksNothing(CapturedOutput output) {
		assertThat(application.queues().send(message("one").header("change", "fail after")).duplicate()).isFalse();
		assertThat(events).endsWith("outer after one sent");
		assertThat(output).contains("The SendInterceptor " + Inner.class.getName() + " failed after the send");
	}

	@Test
	void oneThatGivesNothingIsNamed() {
		assertThatIllegalStateException()
			.isThrownBy(() -> application.queues().send(message("one").header("change", "nothing")))
			.withMessageContaining(Inner.class.getName())
			.withMessageContaining("gave null");
	}

	private OutboundMessage message(String id) {
		return OutboundMessage.to(this.queue, "x").id(id);
	}

	@Order(1)
	static class Outer implements SendInterceptor {

		@Override
		public OutboundMessage beforeSend(OutboundMessage message) {
			events.add("outer before " + message.id());
			return message.headers().getOrDefault("change", "").equals("headers") ? message.header("added", "by outer")
					: message;
		}

		@Override
		public void afterSend(OutboundMessage message, @Nullable SendResult result, @Nullable Throwable failure) {
			events.add("outer after " + message.id() + " "
					+ ((failure != null) ? failure.getClass().getSimpleName() : "sent"));
			assertThat(result == null).isEqualTo(failure != null);
		}

	}

	@Order(2)
	static class Inner implements SendInterceptor {

		@Override
		public @Nullable OutboundMessage beforeSend(OutboundMessage message) {
			events.add("inner before " + message.id());
			String change = message.headers().getOrDefault("change", "").toString();
			if (change.startsWith("queue ")) {
				return OutboundMessage.to(change.substring(6), message.payload()).id(message.id());
			}
			return switch (change) {
				case "refuse" -> throw new IllegalStateException("refused");
				case "headers" -> message.delay(Duration.ofHours(1));
				case "nothing" -> null;
				default -> message;
			};
		}

		@Override
		public void afterSend(OutboundMessage message, @Nullable SendResult result, @Nullable Throwable failure) {
			if (message.headers().getOrDefault("change", "").equals("fail after")) {
				throw new AssertionError("after");
			}
			events.add("inner after " + message.id() + " "
					+ ((failure != null) ? failure.getClass().getSimpleName() : "sent"));
		}

	}

}
