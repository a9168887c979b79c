package io.redelay.queue.logging;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

import io.redelay.log.PlainText;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PayloadMasker;
import io.redelay.queue.QueueListener;
import io.redelay.queue.listener.MessageRetryListener;
import io.redelay.queue.listener.QueueErrorHandler;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import io.redelay.test.Waiting;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.MDC;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.hamcrest.Matchers.is;

/**
 * Tests for what the MDC and logs are notified of messages, and what they are not.
 */
@ExtendWith({ OutputCaptureExtension.class, CapturedLog.Extension.class })
class QueueLoggingIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private final LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());

	@AfterEach
	void reset() {
		MDC.clear();
		this.logging.setLogLevel(MessageLog.class.getName(), null);
		this.logging.setLogLevel("org.springframework.messaging", null);
	}

	@Test
	void theMdcNamesWhatIsHandled() throws Exception {
		Handler handler = new Handler();
		try (ListenerApplication application = builder(handler).start()) {
			application.queues().send(OutboundMessage.to(this.queue, "fail once").id("seven"));
			assertThat(handler.next()).containsOnly(Map.entry(QueueMdc.QUEUE, this.queue),
					Map.entry(QueueMdc.ID, "seven"), Map.entry(QueueMdc.ATTEMPT, "1"),
					Map.entry(QueueMdc.LISTENER, "Handler.handle"));
			assertThat(handler.next()).containsEntry(QueueMdc.ATTEMPT, "2");
		}
	}

	@Test
	void neitherAnIdNorAFailureForgesALine(CapturedLog log) throws Exception {
		ForgedHandler handler = new ForgedHandler();
		String id = "7'\r\n2026-01-01 INFO io.redelay : all is well \u202e";
		try (ListenerApplication application = builder(handler).with("redelay.queue.mdc.keys", "user").start()) {
			application.queues()
				.send(OutboundMessage.to(this.queue, "x")
					.id(id)
					.header(QueueMdc.HEADER_PREFIX + "user", "amy\r\nroot"));
			assertThat(handler.next()).containsEntry(QueueMdc.ID, PlainText.of(id))
				.containsEntry("user", "amy\\r\\nroot");
			Waiting.await().until(() -> log.entriesWith(this.queue, "is dead").findAny().isPresent());
		}
		assertThat(log.entriesWith(PlainText.of(id))).isNotEmpty();
		assertThat(log.entries().flatMap(String::lines)).noneMatch((line) -> line.startsWith("2026-01-01"))
			.noneMatch((line) -> line.contains("\u202e"));
	}

	@Test
	void theSendersMdcIsCarriedAndNothingRemains() throws Exception {
		Handler handler = new Handler();
		try (ListenerApplication application = builder(handler).with("redelay.queue.mdc.keys", "user, order.id,missing")
			.with("redelay.queue.listener.concurrency", "1")
			.start()) {
			MDC.put("user", "amy");
			MDC.put("order.id", "7");
			MDC.put("other", "stays here");
			application.queues().send(this.queue, "fine");
			assertThat(handler.next()).containsEntry("user", "amy")
				.containsEntry("order.id", "7")
				.doesNotContainKeys("other", "missing");
			this.state.awaitDrained();
			MDC.clear();
			application.queues().send(this.queue, "fine");
			assertThat(handler.next()).doesNotContainKeys("user", "order.id").containsKey(QueueMdc.ID);
			application.queues().send(OutboundMessage.to(this.queue, "fine").header("mdc_user", "of the sender's own"));
			assertThat(handler.next()).containsEntry("user", "of the sender's own");
		}
	}

	@Test
	void theThreadIsCleanAfterAFuture() throws Exception {
		FutureHandler handler = new FutureHandler();
		try (ListenerApplication application = builder(handler).with("redelay.queue.mdc.keys", "user").start()) {
			MDC.put("user", "amy");
			application.queues().send(this.queue, "one");
			assertThat(handler.next()).containsEntry("user", "amy");
			assertThat(MDC.get("user")).isEqualTo("amy");
			this.state.awaitDrained();
		}
	}

	@Test
	void theEndOfAFutureNeedsNoOtherThreadForTheMdc() {
		BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();
		MessageRetryListener listener = new MessageRetryListener() {

			@Override
			public void onRetry(DeliveryInfo delivery, Throwable failure, Duration delay) {
				threads.add(Thread.currentThread());
			}

		};
		PendingHandler handler = new PendingHandler();
		try (ListenerApplication application = builder(handler).bean("listener", listener).start()) {
			application.queues().send(this.queue, "one");
			Waiting.await().untilAtomic(handler.awaited, is(1));
			Thread completing = Thread.currentThread();
			handler.results.get(0).completeExceptionally(new IllegalStateException());
			Waiting.await().until(() -> !threads.isEmpty());
			assertThat(threads).containsExactly(completing);
			Waiting.await().until(() -> handler.results.size() == 2);
			handler.results.get(1).complete(null);
			this.state.awaitDrained();
		}
	}

	@Test
	void aBatchHasWhatItsMessagesShare() throws Exception {
		BatchHandler handler = new BatchHandler();
		try (ListenerApplication application = builder(handler).with("redelay.queue.mdc.keys", "user,order")
			.with("redelay.queue.listener.auto-startup", false)
			.start()) {
			MDC.put("user", "amy");
			MDC.put("order", "1");
			application.queues().send(this.queue, "one");
			MDC.put("order", "2");
			application.queues().send(this.queue, "two");
			application.container().start();
			assertThat(handler.next()).containsOnly(Map.entry(QueueMdc.QUEUE, this.queue),
					Map.entry(QueueMdc.ATTEMPT, "1"), Map.entry(QueueMdc.LISTENER, "BatchHandler.handle"),
					Map.entry("user", "amy"));
		}
	}

	@Test
	void theMdcCanBeLeftAlone() throws Exception {
		Handler handler = new Handler();
		try (ListenerApplication application = builder(handler).with("redelay.queue.mdc.enabled", false)
			.with("redelay.queue.mdc.keys", "user")
			.start()) {
			MDC.put("user", "amy");
			application.queues().send(this.queue, "fine");
			assertThat(handler.next()).isEmpty();
		}
	}

	@Test
	void linesOfTheErrorHandlerAndOfRedelayHaveTheMdc() throws Exception {
		BlockingQueue<Map<String, String>> seen = new LinkedBlockingQueue<>();
		QueueErrorHandler errorHandler = (message, failure) -> seen.add(MDC.getCopyOfContextMap());
		try (ListenerApplication application = builder(new Handler())
			.bean(QueueErrorHandler.DEFAULT_BEAN_NAME, errorHandler)
			.start()) {
			application.queues().send(OutboundMessage.to(this.queue, "fail once").id("seven"));
			assertThat(seen.poll(2, TimeUnit.MINUTES)).containsEntry(QueueMdc.ID, "seven");
		}
	}

	@Test
	void whatIsSentAndHandledIsLoggedWithItsSecretsMasked(CapturedOutput output) throws Exception {
		Handler handler = new Handler();
		try (ListenerApplication application = builder(handler).start()) {
			application.queues().send(OutboundMessage.to(this.queue, Map.of("password", "geheim")).id("quiet"));
			handler.next();
			this.logging.setLogLevel(MessageLog.class.getName(), LogLevel.DEBUG);
			application.queues().send(OutboundMessage.to(this.queue, Map.of("password", "geheim")).id("seven"));
			handler.next();
			this.state.awaitDrained();
			assertThat(output).doesNotContain("geheim")
				.doesNotContain("message 'quiet'")
				.contains("Sending the message 'seven' to the queue '" + this.queue + "': {\"password\":\"***\"}")
				.contains("Handling the message 'seven' of the queue '" + this.queue
						+ "' with the listener 'Handler.handle', attempt 1: {\"password\":\"***\"}");
		}
	}

	@Test
	void propertiesSayWhatIsMasked(CapturedOutput output) throws Exception {
		Handler handler = new Handler();
		try (ListenerApplication application = builder(handler).with("redelay.queue.log.masked-fields", "nick-name")
			.with("redelay.queue.log.max-length", 30)
			.start()) {
			this.logging.setLogLevel(MessageLog.class.getName(), LogLevel.DEBUG);
			application.queues().send(this.queue, new Person("geheim", "x".repeat(100)));
			handler.next();
			assertThat(output).doesNotContain("geheim")
				.doesNotContain("x".repeat(31))
				.contains("{\"nickName\":\"***\",\"text\":\"xxx")
				.contains("characters)");
		}
	}

	@Test
	void anApplicationMasksItsOwnWay(CapturedOutput output) throws Exception {
		PayloadMasker masker = (payload, contentType) -> {
			if (contentType.startsWith("text/")) {
				throw new IllegalStateException("geheim");
			}
			return "nothing to see";
		};
		Handler handler = new Handler();
		try (ListenerApplication application = builder(handler).bean("masker", masker).start()) {
			this.logging.setLogLevel(MessageLog.class.getName(), LogLevel.DEBUG);
			application.queues().send(this.queue, List.of("geheim"));
			handler.next();
			application.queues().send(this.queue, "geheim");
			handler.next();
			assertThat(output).doesNotContain("geheim").contains(": nothing to see").contains("could not mask");
		}
	}

	@Test
	void noPayloadIsInAFailureOfConversion(CapturedOutput output) {
		this.logging.setLogLevel("org.springframework.messaging", LogLevel.DEBUG);
		try (ListenerApplication application = builder(new Typed()).start()) {
			for (Object payload : List.of(Map.of("pin", "geheim"), Map.of("pin", List.of("geheim")), "geheim",
					Map.of("pin", 5_000), List.of("geheim"), Map.of("pins", Map.of("geheim", "geheim")),
					Map.of("time", "geheim"))) {
				application.queues().send(this.queue, payload);
			}
			this.state.put("broken1", "{\"sentAt\":1,\"payload\":geheim}");
			this.state.put("broken2", "{\"sentAt\":\"geheim\",\"payload\":1}");
			application.queues().send(this.queue, Map.of("pin", 1));
			this.state.awaitDrained();
			assertThat(this.state.dead()).hasSize(9).allSatisfy((dead) -> {
				assertThat(dead.reason()).isEqualTo("CONVERSION_FAILED");
				assertThat(dead.cause().toString()).doesNotContain("geheim").doesNotContain("5000");
			});
			assertThat(this.state.dead()).extracting(QueueState.Dead::message)
				.anyMatch((message) -> message.contains("does not fit the type int, at pin, line 1, column"))
				.anyMatch((message) -> message.contains("at pins.[…]"))
				.anyMatch((message) -> message.contains("it is not valid: 'pin' must be less than or equal to 999"));
			assertThat(output).contains("is dead (CONVERSION_FAILED)").doesNotContain("geheim").doesNotContain("5000");
		}
	}

	@Test
	void noPayloadIsInAFailureOfSending() {
		try (ListenerApplication application = ListenerApplication.on(redis).start()) {
			assertThatExceptionOfType(MessageSendException.class)
				.isThrownBy(() -> application.queues().send(this.queue, "geheim".repeat(1_000_000)))
				.satisfies((ex) -> assertThat(ex.toString()).doesNotContain("geheim"));
			assertThatIllegalArgumentException()
				.isThrownBy(() -> OutboundMessage.to(this.queue, "x").header("h", List.of("geheim")))
				.withMessageContaining("'h'")
				.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("geheim"));
			assertThat(OutboundMessage.to(this.queue, "geheim")).asString().doesNotContain("geheim");
		}
	}

	private ListenerApplication.Builder builder(Object handler) {
		return ListenerApplication.on(redis).bean(handler).with("queue", this.queue);
	}

	record Person(String nickName, String text) {

	}

	static class Seen {

		private final BlockingQueue<Map<String, String>> seen = new LinkedBlockingQueue<>();

		void see() {
			Map<String, String> mdc = MDC.getCopyOfContextMap();
			this.seen.add((mdc != null) ? mdc : Map.of());
		}

		Map<String, String> next() throws InterruptedException {
			Map<String, String> next = this.seen.poll(2, TimeUnit.MINUTES);
			assertThat(next).isNotNull();
			return next;
		}

	}

	static class Handler extends Seen {

		@QueueListener("${queue}")
		void handle(String payload) {
			see();
			if (payload.equals("fail once") && "1".equals(MDC.get(QueueMdc.ATTEMPT))) {
				throw new IllegalStateException();
			}
		}

	}

	static class ForgedHandler extends Seen {

		@QueueListener(value = "${queue}", maxAttempts = "1")
		void handle(String payload) {
			see();
			throw new IllegalStateException("failed\n2026-01-01 INFO io.redelay : all is well \u202e");
		}

	}

	static class FutureHandler extends Seen {

		@QueueListener("${queue}")
		CompletableFuture<Void> handle(String payload) {
			see();
			return CompletableFuture.completedFuture(null);
		}

	}

	static class PendingHandler {

		/**
		 * How many results are waited for, so that the handler's thread has nothing more
		 * to do with their completion.
		 */
		final AtomicInteger awaited = new AtomicInteger();

		final List<CompletableFuture<Void>> results = new CopyOnWriteArrayList<>();

		@QueueListener("${queue}")
		CompletableFuture<Void> handle(String payload) {
			CompletableFuture<Void> result = new CompletableFuture<>() {

				@Override
				public <U> CompletableFuture<U> handle(BiFunction<? super Void, Throwable, ? extends U> action) {
					CompletableFuture<U> stage = super.handle(action);
					PendingHandler.this.awaited.incrementAndGet();
					return stage;
				}

			};
			this.results.add(result);
			return result;
		}

	}

	static class BatchHandler extends Seen {

		@QueueListener("${queue}")
		void handle(List<String> payloads) {
			see();
		}

	}

	static class Typed {

		@QueueListener("${queue}")
		void handle(@Valid Secrets secrets) {
		}

	}

	static class Secrets {

		@Max(999)
		public int pin;

		public Map<String, Integer> pins = Map.of();

		public Instant time = Instant.EPOCH;

	}

}
