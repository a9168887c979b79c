package io.redelay.queue.listener.deadletter;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.listener.DeliveryInterceptor;
import io.redelay.queue.listener.DyingStores;
import io.redelay.queue.listener.GlobalInterceptor;
import io.redelay.queue.message.StoredLimits;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.CountScript;
import io.redelay.test.CapturedLog;
import io.redelay.test.IdleStore;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import io.redelay.test.Waiting;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.mockito.Mockito;
import tools.jackson.databind.JsonNode;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.support.MessageBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

/**
 * Dead messages that move to another queue, and listeners for them.
 */
class DeadLetterQueueIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final String failed = this.queue + ".failed";

	private final QueueState state = QueueState.of(redis, this.queue);

	private final QueueState failedState = QueueState.of(redis, this.failed);

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void handsDeadMessagesOnWithAllThatIsKnownOfThem() {
		FailedListener listener = new FailedListener();
		try (ListenerApplication application = builder().bean(new Handler()).bean(listener).start()) {
			Instant before = QueueState.now(redis).minusMillis(1);
			application.queues()
				.send(OutboundMessage.to(this.queue, "fail")
					.id("seven")
					.header("tenant", "north")
					.maxAttempts(2)
					.timeToLive(Duration.ofHours(1)));
			Waiting.await().until(() -> listener.attempts.size() == 1);
			MessageHeaders headers = listener.headers.get(0);
			assertThat(headers).contains(entry("tenant", "north"), entry(QueueHeaders.QUEUE, this.failed),
					entry(QueueHeaders.ORIGINAL_QUEUE, this.queue), entry(QueueHeaders.ORIGINAL_ID, "seven"),
					entry(QueueHeaders.DEATH_REASON, "FAILED"), entry(QueueHeaders.DEATH_FAILURES, 2),
					entry(QueueHeaders.DEATH_EXCEPTION, IllegalStateException.class.getName()),
					entry(QueueHeaders.DEATH_MESSAGE, "Failed 2 times, at last with: no"));
			assertThat(headers.get(QueueHeaders.ID))
				.isEqualTo(this.queue + "/" + headers.get(QueueHeaders.ORIGINAL_UID));
			FailedAttempt attempt = listener.attempts.get(0);
			assertThat(attempt.reason()).isEqualTo(DeathReason.FAILED);
			assertThat(attempt.failures()).isEqualTo(2);
			assertThat(attempt.listener()).isEqualTo("Handler.handle");
			assertThat(attempt.stackTrace()).contains("Handler.handle");
			assertThat(listener.times)
				.allSatisfy((time) -> assertThat(time).isBetween(before, QueueState.now(redis).plusMillis(1)));
			this.failedState.awaitDrained();
			Waiting.await().until(() -> this.state.dead().isEmpty());
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theCopyHasThePayloadAndNoneOfTheLimits() {
		try (ListenerApplication application = builder().bean(new Handler()).start()) {
			application.queues()
				.send(OutboundMessage.to(this.queue, "fail").maxAttempts(1).timeToLive(Duration.ofHours(1)));
			Waiting.await().until(() -> this.failedState.ready() == 1);
			JsonNode copy = this.failedState.messages().values().iterator().next();
			assertThat(copy.get("payload").asString()).isEqualTo("fail");
			assertThat(copy.has("maxAttempts")).isFalse();
			assertThat(copy.has("timeToLive")).isFalse();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void thePropertyOfTheQueueNamesAnotherOne() {
		String other = TestRedis.queue();
		try (ListenerApplication application = builder().bean(new Handler())
			.with("redelay.queue.queues[" + this.queue + "].dead-letter-queue", other)
			.start()) {
			application.queues().send(OutboundMessage.to(this.queue, "fail").maxAttempts(1));
			Waiting.await().until(() -> QueueState.of(redis, other).ready() == 1);
			assertThat(this.failedState.messages()).isEmpty();
		}
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void whatCannotBeReadStaysAndIsReportedOnce(CapturedLog log) {
		try (ListenerApplication application = builder().bean(new Handler())
			.with("redelay.queue.safety-poll-interval", "100ms")
			.start()) {
			String odd = "{\"payload\":";
			this.state.put("odd", odd);
			application.queues().send(OutboundMessage.to(this.queue, "fail").maxAttempts(1));
			Waiting.await().until(() -> this.failedState.ready() == 1 && deadAre(odd));
			application.queues().send(OutboundMessage.to(this.queue, "fail").maxAttempts(1));
			Waiting.await().until(() -> this.failedState.ready() == 2 && deadAre(odd));
			assertThat(log.entriesWith(this.queue, "'odd'", "cannot be read, and stays there")).hasSize(1);
		}
	}

	private boolean deadAre(String... envelopes) {
		return this.state.dead().stream().map(QueueState.Dead::raw).toList().equals(List.of(envelopes));
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@EnumSource
	void aDeathOnTheWayLosesAndDoublesNothing(DyingStores.Point point) {
		int messages = 30;
		try (DyingStores stores = new DyingStores(redis, this.failed, point)) {
			try (ListenerApplication application = builder().bean(new Handler())
				.bean("queueScripts", stores.store())
				.bean("queueAdminStore", stores.admin())
				.with("redelay.queue.listener.lease-time", "300ms")
				.start()) {
				application.queues()
					.sendAll(IntStream.range(0, messages)
						.mapToObj((i) -> OutboundMessage.to(this.queue, "fail " + i).maxAttempts(1))
						.toList());
				Waiting.await().until(stores::isDead);
			}
		}
		try (ListenerApplication application = builder().bean(new Handler())
			.with("redelay.queue.listener.lease-time", "300ms")
			.with("redelay.queue.safety-poll-interval", "100ms")
			.start()) {
			assertThat(application.container().isRunning()).isTrue();
			Waiting.await().until(() -> this.state.raw().isEmpty() && this.state.dead().isEmpty());
			assertThat(this.failedState.messages().values()).extracting((copy) -> copy.get("payload").asString())
				.containsExactlyInAnyOrder(
						IntStream.range(0, messages).mapToObj((i) -> "fail " + i).toArray(String[]::new));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void severalInstancesHandEachMessageOnOnce() {
		int messages = 300;
		FailedListener one = new FailedListener();
		FailedListener other = new FailedListener();
		try (ListenerApplication first = builder().bean(new Handler()).bean(one).start();
				ListenerApplication second = builder().bean(new Handler()).bean(other).start()) {
			assertThat(second.container().isRunning()).isTrue();
			for (int i = 0; i < messages / 10; i++) {
				first.queues()
					.sendAll(IntStream.range(0, 10)
						.mapToObj((n) -> OutboundMessage.to(this.queue, "fail").maxAttempts(1))
						.toList());
			}
			Waiting.await().until(() -> this.state.raw().isEmpty() && this.state.dead().isEmpty());
			this.failedState.awaitDrained();
			assertThat(one.attempts.size() + other.attempts.size()).isEqualTo(messages);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aListenerIsGivenWhatHasDiedBeforeAndWhatDiesLater() {
		try (ListenerApplication application = keeping().start()) {
			application.queues().send(OutboundMessage.to(this.queue, "fail before").maxAttempts(1));
			this.state.awaitDead();
		}
		Undertaker undertaker = new Undertaker();
		try (ListenerApplication application = keeping().bean(undertaker)
			.with("redelay.queue.safety-poll-interval", "1h")
			.start()) {
			Waiting.await().until(() -> undertaker.handled.contains("fail before FAILED"));
			application.queues().send(OutboundMessage.to(this.queue, "fail later").maxAttempts(1));
			Waiting.await().until(() -> undertaker.handled.contains("fail later FAILED"));
			QueueState.of(redis, this.queue + ".dead").awaitDrained();
			Waiting.await().until(() -> this.state.dead().isEmpty());
			assertThat(undertaker.handled).hasSize(2);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aListenerIsGivenWhatDiesInOtherApplications() {
		Undertaker undertaker = new Undertaker();
		try (ListenerApplication application = keeping().start();
				ListenerApplication other = builder().bean(undertaker)
					.with("redelay.queue.safety-poll-interval", "200ms")
					.start()) {
			assertThat(other.container().isRunning()).isTrue();
			application.queues().send(OutboundMessage.to(this.queue, "fail").maxAttempts(1));
			Waiting.await().until(() -> undertaker.handled.contains("fail FAILED"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatAListenerOfDeadLettersGivesUpIsKeptInItsQueue() {
		Undertaker undertaker = new Undertaker();
		try (ListenerApplication application = keeping().bean(undertaker).start()) {
			application.queues().send(OutboundMessage.to(this.queue, "fail stubborn").maxAttempts(1));
			QueueState.Dead dead = QueueState.of(redis, this.queue + ".dead").awaitDead();
			assertThat(dead.history()).hasSize(1);
			assertThat(dead.cause().get("listener").asString()).isEqualTo("Undertaker.bury");
			assertThat(undertaker.tries).hasValue(2);
			Waiting.await().until(() -> this.state.dead().isEmpty());
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aListenerOfDeadLettersCostsOneCommandAtEachSafetyPoll() {
		AdminScripts store = IdleStore.admin();
		CountScript count = store.count();
		AtomicInteger looks = new AtomicInteger();
		Mockito.doAnswer((call) -> {
			looks.incrementAndGet();
			return CompletableFuture
				.completedFuture(new CountScript.Counts(Instant.EPOCH, new CountScript.Messages(0, 0, 0, 0, 0, 0, 0, 0),
						null, null, new CountScript.Status(false, false, null), 0, 0, StoredLimits.NONE));
		}).when(count).run(this.queue);
		try (ListenerApplication application = builder().bean(new Undertaker())
			.bean("queueAdminStore", store)
			.with("redelay.queue.safety-poll-interval", "200ms")
			.start()) {
			assertThat(application.container().isRunning()).isTrue();
			Waiting.await().until(() -> looks.get() >= 3);
			long start = System.nanoTime();
			int before = looks.get();
			Waiting.await().pollDelay(Duration.ofMillis(900)).until(() -> looks.get() > before);
			int after = looks.get();
			long polls = Duration.ofNanos(System.nanoTime() - start).toMillis() / 200;
			assertThat((long) after - before).isLessThanOrEqualTo(polls + 2);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anInterceptorThatReplacesADeadLetterLeavesItsCause() {
		Undertaker undertaker = new Undertaker();
		try (ListenerApplication application = keeping().bean(undertaker).bean(new Replacing()).start()) {
			application.queues().send(OutboundMessage.to(this.queue, "fail").maxAttempts(1));
			Waiting.await().until(() -> undertaker.handled.contains("fail FAILED touched"));
		}
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	@ExtendWith(CapturedLog.Extension.class)
	void aDeadLetterQueueOfBeforeThatIsClosedHoldsUpNothing(CapturedLog log) {
		Supplier<Long> refusals = () -> log.entriesWith("WARN", this.queue, "'" + this.failed + "'", "CLOSED").count();
		try (ListenerApplication before = builder().bean(new Handler()).start()) {
			before.queues().send(this.failed, "the first");
			before.bean(QueueAdmin.class).control().close(this.failed);
			before.queues().send(OutboundMessage.to(this.queue, "fail before").maxAttempts(1));
			Waiting.await().until(() -> refusals.get() > 0);
		}
		long earlier = refusals.get();
		QueueState others = QueueState.of(redis, this.queue + ".other");
		try (ListenerApplication application = builder().bean(new MovedHandler())
			.with("redelay.queue.listener.lease-time", "3s")
			.start()) {
			Waiting.await().until(() -> refusals.get() > earlier);
			application.queues().send(OutboundMessage.to(this.queue, "fail").maxAttempts(1));
			Waiting.await().until(() -> others.ready() == 1);
			application.bean(QueueAdmin.class).control().reopen(this.failed);
			Waiting.await().until(() -> this.failedState.ready() == 2);
			Waiting.await().until(() -> this.state.dead().isEmpty());
		}
	}

	private ListenerApplication.Builder builder() {
		return ListenerApplication.on(redis).with("queue", this.queue);
	}

	private ListenerApplication.Builder keeping() {
		return builder().bean(new KeepingHandler());
	}

	static class Handler {

		@QueueListener(queues = "${queue}", deadLetterQueue = "${queue}.failed")
		void handle(String what) {
			throw new IllegalStateException("no");
		}

	}

	static class MovedHandler {

		@QueueListener(queues = "${queue}", deadLetterQueue = "${queue}.other")
		void handle(String what) {
			throw new IllegalStateException("no");
		}

	}

	static class KeepingHandler {

		@QueueListener("${queue}")
		void handle(String what) {
			throw new IllegalStateException("no");
		}

	}

	static class FailedListener {

		final List<FailedAttempt> attempts = new CopyOnWriteArrayList<>();

		final List<MessageHeaders> headers = new CopyOnWriteArrayList<>();

		final List<Instant> times = new CopyOnWriteArrayList<>();

		@QueueListener("${queue}.failed")
		void handle(String what, FailedAttempt attempt, @Headers MessageHeaders headers,
				@Header(QueueHeaders.DIED_AT) Instant diedAt, @Header(QueueHeaders.ORIGINAL_SENT_AT) Instant sentAt,
				@Header(QueueHeaders.DEATH_REASON) DeathReason reason) {
			assertThat(reason).isEqualTo(attempt.reason());
			this.headers.add(headers);
			this.times.addAll(List.of(sentAt, diedAt));
			this.attempts.add(attempt);
		}

	}

	static class Undertaker {

		final List<String> handled = new CopyOnWriteArrayList<>();

		final AtomicInteger tries = new AtomicInteger();

		@QueueListener(deadLettersOf = "${queue}", maxAttempts = "2")
		void bury(Message<String> message, @Nullable FailedAttempt attempt) {
			if (message.getPayload().endsWith("stubborn")) {
				this.tries.incrementAndGet();
				throw new IllegalStateException("again");
			}
			this.handled.add(message.getPayload() + " " + ((attempt != null) ? attempt.reason() : null)
					+ (message.getHeaders().containsKey("touched") ? " touched" : ""));
		}

	}

	@GlobalInterceptor
	static class Replacing implements DeliveryInterceptor {

		@Override
		public Message<?> beforeHandling(Message<?> message) {
			return MessageBuilder.withPayload(message.getPayload())
				.copyHeadersIfAbsent(Map.of(MessageHeaders.CONTENT_TYPE,
						message.getHeaders().get(MessageHeaders.CONTENT_TYPE), "touched", true))
				.build();
		}

	}

}
