package io.redelay.queue.claim;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

import io.redelay.queue.Backoff;
import io.redelay.queue.ExpiryAction;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.RetryMessageException;
import io.redelay.queue.SendResult;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what becomes of messages whose handling fails.
 */
class RetryIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFailedMessageIsDeliveredAgain() {
		Failing handler = new Failing((attempt) -> (attempt < 3) ? new IllegalStateException("not yet") : null);
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "x");
			this.state.awaitDrained();
			assertThat(handler.calls).extracting(Call::attempt).containsExactly(1, 2, 3);
			assertThat(handler.calls).extracting((call) -> call.info().failures()).containsExactly(0, 1, 2);
			assertThat(this.state.dead()).isEmpty();
			assertThat(this.state.tries()).isZero();
		}
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void aMessageThatKeepsFailingEndsDead(CapturedLog log) {
		Failing handler = new Failing((attempt) -> new IllegalStateException("number " + attempt));
		try (ListenerApplication application = start(handler)) {
			SendResult sent = application.queues().send(this.queue, List.of("书", 1.50));
			QueueState.Dead dead = this.state.awaitDead();
			assertThat(dead.reason()).isEqualTo("FAILED");
			assertThat(dead.message()).contains("3 times").contains("number 3");
			assertThat(dead.cause().get("exception").asString()).isEqualTo(IllegalStateException.class.getName());
			assertThat(dead.cause().get("stackTrace").asString()).contains("RetryIntegrationTests");
			assertThat(dead.cause().get("listener").asString()).isEqualTo("Failing.handle");
			assertThat(dead.cause().get("failures").asInt()).isEqualTo(3);
			assertThat(dead.raw()).endsWith("\"payload\":[\"书\",1.5]}");
			assertThat(handler.calls).hasSize(3);
			assertThat(this.state.messages()).isEmpty();
			assertThat(log.entriesWith(sent.id(), "1 of 3 attempts")).hasSize(1);
			Awaitility.await()
				.untilAsserted(() -> assertThat(log.entriesWith(sent.id(), "is dead (FAILED)")).hasSize(1));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void waitsExponentiallyAndNeverLess() {
		Failing handler = new Failing((attempt) -> new IllegalStateException());
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.with("attempts", 4)
			.with("redelay.queue.listener.backoff.initial-interval", "60ms")
			.with("redelay.queue.listener.backoff.multiplier", "2")
			.with("redelay.queue.listener.backoff.max-interval", "150ms")
			.start()) {
			application.queues().send(this.queue, "x");
			this.state.awaitDead();
			assertThat(handler.pauses()).satisfiesExactly((pause) -> assertThat(pause).isGreaterThanOrEqualTo(60),
					(pause) -> assertThat(pause).isGreaterThanOrEqualTo(120),
					(pause) -> assertThat(pause).isGreaterThanOrEqualTo(150));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theAnnotationSaysHowLongToWait() {
		Backing handler = new Backing();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "x");
			this.state.awaitDead();
			assertThat(handler.pauses()).hasSize(2).allSatisfy((pause) -> assertThat(pause).isGreaterThanOrEqualTo(80));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theHandlerSaysHowLongToWait() {
		Failing handler = new Failing((attempt) -> (attempt == 1)
				? new CompletionException(new RetryMessageException(Duration.ofMillis(150))) : null);
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "x");
			this.state.awaitDrained();
			assertThat(handler.pauses()).hasSize(1)
				.allSatisfy((pause) -> assertThat(pause).isGreaterThanOrEqualTo(150));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRejectedMessageIsDeadAtOnce() {
		Failing handler = new Failing(
				(attempt) -> new IllegalStateException(new RejectMessageException("no such address")));
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "x");
			QueueState.Dead dead = this.state.awaitDead();
			assertThat(dead.reason()).isEqualTo("REJECTED");
			assertThat(dead.message()).isEqualTo("no such address");
			assertThat(handler.calls).hasSize(1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void someFailuresAreNotRetried() {
		for (Throwable failure : List.of(new FileNotFoundException("subtype"), new CustomFailure(),
				new RuntimeException("wrapped", new RuntimeException(new CustomFailure())))) {
			String fresh = TestRedis.queue();
			Unforgiving handler = new Unforgiving(failure);
			try (ListenerApplication application = ListenerApplication.on(redis)
				.bean(handler)
				.with("queue", fresh)
				.start()) {
				application.queues().send(fresh, "x");
				QueueState.Dead dead = QueueState.of(redis, fresh).awaitDead();
				assertThat(dead.reason()).isEqualTo("FAILED");
				assertThat(dead.message()).contains("Not retried");
				assertThat(handler.calls).hasSize(1);
			}
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void otherFailuresAreRetried() {
		Unforgiving handler = new Unforgiving(new IllegalStateException());
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "x");
			this.state.awaitDead();
			assertThat(handler.calls).hasSize(5);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatAHandlerAsksForIsRetriedAllTheSame() {
		Unforgiving handler = new Unforgiving(
				new IOException("not retried", new RetryMessageException(Duration.ofMillis(1))));
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "x");
			assertThat(this.state.awaitDead().message()).contains("5 times");
			assertThat(handler.calls).hasSize(5);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theMessageSaysHowOftenItIsTried() {
		Failing handler = new Failing((attempt) -> new IllegalStateException());
		try (ListenerApplication application = start(handler)) {
			application.queues().send(OutboundMessage.to(this.queue, "x").maxAttempts(1));
			assertThat(this.state.awaitDead().message()).contains("Failed once").contains("IllegalStateException");
			assertThat(handler.calls).hasSize(1);
		}
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void aMessageThatWasNotHandledInTimeIsBuried(CapturedLog log) {
		Failing handler = new Failing((attempt) -> new IllegalStateException("fails"));
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.with("attempts", 100)
			.with("redelay.queue.listener.backoff.initial-interval", "600ms")
			.start()) {
			application.queues().send(OutboundMessage.to(this.queue, "x").timeToLive(Duration.ofSeconds(3)));
			QueueState.Dead dead = this.state.awaitDead();
			assertThat(dead.reason()).isEqualTo("EXPIRED");
			assertThat(dead.message()).contains("PT3S");
			assertThat(handler.calls).hasSizeBetween(1, 6);
			Awaitility.await()
				.untilAsserted(() -> assertThat(log.entriesWith(this.queue, "is dead (EXPIRED)")).hasSize(1));
		}
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void aMessageThatWasNotHandledInTimeIsDroppedIfItSaysSo(CapturedLog log) {
		Failing handler = new Failing((attempt) -> null);
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.with("attempts", 5)
			.with("redelay.queue.listener.auto-startup", false)
			.start()) {
			SendResult sent = application.queues()
				.send(OutboundMessage.to(this.queue, "x").timeToLive(Duration.ofMillis(1), ExpiryAction.DROP));
			Awaitility.await().until(() -> QueueState.now(redis).isAfter(sent.due().plusMillis(5)));
			application.container().start();
			this.state.awaitDrained();
			assertThat(this.state.dead()).isEmpty();
			assertThat(handler.calls).isEmpty();
			Awaitility.await()
				.untilAsserted(() -> assertThat(log.entriesWith("Dropped the message '" + sent.id() + "'", this.queue))
					.hasSize(1));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aDelayedMessageDoesNotExpireBeforeItIsDue() {
		Failing handler = new Failing((attempt) -> null);
		try (ListenerApplication application = start(handler)) {
			application.queues()
				.send(OutboundMessage.to(this.queue, "x")
					.delay(Duration.ofMillis(300))
					.timeToLive(Duration.ofMinutes(1)));
			this.state.awaitDrained();
			assertThat(handler.calls).hasSize(1);
			assertThat(this.state.dead()).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anIdIsFreeWhenItsMessageIsDoneOrDead() {
		Failing handler = new Failing((attempt) -> new RejectMessageException("always"));
		try (ListenerApplication application = start(handler)) {
			assertThat(application.queues().send(OutboundMessage.to(this.queue, "x").id("seven")).duplicate())
				.isFalse();
			this.state.awaitDead();
			assertThat(application.queues()
				.send(OutboundMessage.to(this.queue, "x").id("seven").delay(Duration.ofMinutes(1)))
				.duplicate()).isFalse();
			assertThat(application.queues().send(OutboundMessage.to(this.queue, "x").id("seven")).duplicate()).isTrue();
		}
		String other = TestRedis.queue();
		Failing good = new Failing((attempt) -> null);
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(good)
			.with("queue", other)
			.with("attempts", 3)
			.start()) {
			assertThat(application.queues().send(OutboundMessage.to(other, "x").id("seven")).duplicate()).isFalse();
			QueueState.of(redis, other).awaitDrained();
			assertThat(application.queues().send(OutboundMessage.to(other, "x").id("seven")).duplicate()).isFalse();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMessageIsNeverHandledBeforeItsTime() {
		Failing handler = new Failing((attempt) -> null);
		try (ListenerApplication application = start(handler)) {
			List<OutboundMessage> messages = new ArrayList<>();
			for (int i = 0; i < 30; i++) {
				messages.add(OutboundMessage.to(this.queue, i).id("n" + i).delay(Duration.ofMillis(i * 13L)));
			}
			List<SendResult> sent = application.queues().sendAll(messages);
			this.state.awaitDrained();
			assertThat(handler.calls).hasSize(30);
			for (Call call : handler.calls) {
				SendResult result = sent.get(Integer.parseInt(call.info().id().substring(1)));
				assertThat(call.time()).isAfterOrEqualTo(result.due());
				assertThat(call.info().dueAt()).isEqualTo(result.due());
			}
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFutureThatFailsCountsAsAFailure() {
		FailingFuture handler = new FailingFuture();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "x");
			QueueState.Dead dead = this.state.awaitDead();
			assertThat(dead.cause().get("exception").asString()).isEqualTo(IOException.class.getName());
			assertThat(handler.calls).hasSize(2);
		}
	}

	private ListenerApplication start(Object handler) {
		return ListenerApplication.on(redis).bean(handler).with("queue", this.queue).with("attempts", 3).start();
	}

	record Call(DeliveryInfo info, int attempt, Instant time) {

	}

	static class Recorder {

		final List<Call> calls = new CopyOnWriteArrayList<>();

		void called(DeliveryInfo info, int attempt) {
			this.calls.add(new Call(info, attempt, QueueState.now(redis)));
		}

		/**
		 * The pauses between calls in ms, by the clock of Redis.
		 */
		List<Long> pauses() {
			List<Long> pauses = new ArrayList<>();
			for (int i = 1; i < this.calls.size(); i++) {
				pauses.add(Duration.between(this.calls.get(i - 1).time(), this.calls.get(i).time()).toMillis());
			}
			return pauses;
		}

	}

	static class Failing extends Recorder {

		private final Function<Integer, RuntimeException> failure;

		Failing(Function<Integer, RuntimeException> failure) {
			this.failure = failure;
		}

		@QueueListener(queues = "${queue}", maxAttempts = "${attempts}")
		void handle(DeliveryInfo info, @Header(QueueHeaders.ATTEMPT) int attempt) {
			called(info, attempt);
			RuntimeException ex = this.failure.apply(attempt);
			if (ex != null) {
				throw ex;
			}
		}

	}

	static class Backing extends Recorder {

		@QueueListener(queues = "${queue}", maxAttempts = "3",
				backoff = @Backoff(initialInterval = "100ms", multiplier = "1", jitter = "#{0.1 + 0.1}"))
		void handle(DeliveryInfo info) throws IOException {
			called(info, info.attempt());
			throw new IOException("checked");
		}

	}

	static class Unforgiving extends Recorder {

		private final Throwable failure;

		Unforgiving(Throwable failure) {
			this.failure = failure;
		}

		@QueueListener(queues = "${queue}", noRetryFor = { IOException.class, CustomFailure.class })
		void handle(DeliveryInfo info) throws Throwable {
			called(info, info.attempt());
			throw this.failure;
		}

	}

	static class FailingFuture extends Recorder {

		@QueueListener(queues = "${queue}", maxAttempts = "2")
		CompletableFuture<Void> handle(DeliveryInfo info) {
			called(info, info.attempt());
			return CompletableFuture.supplyAsync(() -> {
				throw new CompletionException(new IOException("async"));
			});
		}

	}

	@SuppressWarnings("serial")
	static class CustomFailure extends Error {

	}

}
