package io.redelay.queue.claim;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PayloadConversionException;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.batch.BatchFailedException;
import io.redelay.queue.listener.DeliveryInterceptor;
import io.redelay.queue.listener.GlobalInterceptor;
import io.redelay.queue.listener.QueueErrorHandler;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import io.redelay.test.Waiting;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.messaging.Message;
import org.springframework.messaging.support.GenericMessage;
import org.springframework.messaging.support.MessageBuilder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link DeliveryInterceptor}.
 */
@ExtendWith(OutputCaptureExtension.class)
class DeliveryInterceptorIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private final List<String> events = new CopyOnWriteArrayList<>();

	private final Recording first = new Recording("first", this.events);

	private final Recording second = new Recording("second", this.events);

	@Test
	void areAroundHandlingInTheOrderInWhichTheyAreNamed() {
		try (ListenerApplication application = start(new Named(this.events))) {
			application.queues().send(this.queue, "fine");
			this.state.awaitDrained();
			awaitEvents("first before fine", "second before fine", "handle fine", "second after null",
					"first after null", "second clear", "first clear");
			assertThat(this.first.threads).hasSize(3).containsOnly(this.first.threads.get(0));
		}
	}

	@Test
	void oneThatIsNotNamedIsNotAroundAnything() {
		try (ListenerApplication application = start(new Unnamed(this.events))) {
			application.queues().send(this.queue, "fine");
			this.state.awaitDrained();
			assertThat(this.events).containsExactly("handle fine");
		}
	}

	@Test
	void globalOnesAreOutsideInTheirOrderAndOnlyOnce() {
		try (ListenerApplication application = builder(new NamedGlobal()).bean("events", this.events)
			.beans(Globals.class)
			.start()) {
			application.queues().send(this.queue, "fine");
			this.state.awaitDrained();
			awaitEvents("outer before fine", "inner before fine", "first before fine", "first after null",
					"inner after null", "outer after null", "first clear", "inner clear", "outer clear");
		}
	}

	@Test
	void mayReplaceTheMessageByWhatTheHandlerTakes() {
		this.first.replacement = (message) -> new GenericMessage<>("replaced", Map.of("tenant", "b"));
		Named handler = new Named(this.events);
		try (ListenerApplication application = start(handler)) {
			application.queues().send(OutboundMessage.to(this.queue, "fine").id("seven").header("tenant", "a"));
			this.state.awaitDrained();
			assertThat(this.events).startsWith("first before fine", "second before replaced", "handle replaced");
			assertThat(handler.message.getHeaders()).containsEntry("tenant", "b")
				.containsEntry(QueueHeaders.ID, "seven")
				.containsEntry(QueueHeaders.QUEUE, this.queue)
				.containsEntry(QueueHeaders.LISTENER, "Named.handle")
				.containsKey(QueueHeaders.ACKNOWLEDGMENT);
		}
	}

	@Test
	void mayReplaceTheBytesBeforeTheyAreConverted() {
		this.first.replacement = (message) -> MessageBuilder
			.withPayload("{\"number\":8}".getBytes(StandardCharsets.UTF_8))
			.copyHeaders(message.getHeaders())
			.build();
		Numbers handler = new Numbers();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, new Numbers.Amount(7));
			this.state.awaitDrained();
			assertThat(handler.numbers).containsExactly(new Numbers.Amount(8));
		}
	}

	@Test
	void oneThatThrowsLetsTheHandlingFail() {
		this.second.failure = new IOException("not today");
		try (ListenerApplication application = start(new Named(this.events))) {
			application.queues().send(OutboundMessage.to(this.queue, "fine").maxAttempts(1));
			assertThat(this.state.awaitDead().message()).contains("not today");
			awaitEvents("first before fine", "second before fine", "first after java.io.IOException: not today",
					"first clear");
		}
	}

	@Test
	void areNotifiedOfAFailureAndOfWhatTheErrorHandlerLeftOfIt() {
		QueueErrorHandler errorHandler = (message, failure) -> {
			this.events.add("asked about " + message.getPayload());
			if (failure.getMessage().contains("badly")) {
				throw new IllegalStateException("worse");
			}
		};
		try (ListenerApplication application = builder(new Named(this.events))
			.bean(QueueErrorHandler.DEFAULT_BEAN_NAME, errorHandler)
			.start()) {
			application.queues().send(this.queue, "fail");
			this.state.awaitDrained();
			awaitEvents("first before fail", "second before fail", "handle fail", "asked about fail",
					"second after null", "first after null", "second clear", "first clear");
			this.events.clear();
			application.queues().send(OutboundMessage.to(this.queue, "fail badly").maxAttempts(1));
			this.state.awaitDead();
			assertThat(this.events).contains("first after java.lang.IllegalStateException: worse");
		}
	}

	@Test
	void areNotifiedWhenAFutureIsComplete() {
		Future handler = new Future();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "fine");
			Waiting.await().until(() -> handler.results.size() == 1);
			awaitEvents("first before fine", "first clear");
			Thread completing = Thread.currentThread();
			handler.results.get(0).complete(null);
			this.state.awaitDrained();
			awaitEvents("first before fine", "first clear", "first after null");
			assertThat(this.first.threads.get(2)).isNotSameAs(completing);
			application.queues().send(OutboundMessage.to(this.queue, "fine").maxAttempts(1));
			Waiting.await().until(() -> handler.results.size() == 2);
			handler.results.get(1).completeExceptionally(new IOException("late"));
			this.state.awaitDead();
			assertThat(this.events).endsWith("first after java.io.IOException: late");
		}
	}

	@Test
	void oneThatFailsAfterwardsKeepsNoOtherFromBeingNotified(CapturedOutput output) {
		this.second.failureAfter = new AssertionError("after");
		try (ListenerApplication application = start(new Named(this.events))) {
			application.queues().send(this.queue, "fine");
			this.state.awaitDrained();
			awaitEvents("first before fine", "second before fine", "handle fine", "second after null",
					"first after null", "second clear", "first clear");
			assertThat(this.state.dead()).isEmpty();
			assertThat(output).contains("The DeliveryInterceptor " + Recording.class.getName()
					+ " failed after the handling of the message");
		}
	}

	@Test
	void areNotifiedOfEachMessageOfABatch() {
		Batch handler = new Batch();
		try (ListenerApplication application = builder(handler).with("redelay.queue.listener.auto-startup", false)
			.start()) {
			application.queues()
				.sendAll(List.of(OutboundMessage.to(this.queue, "one"), OutboundMessage.to(this.queue, "two")));
			application.container().start();
			Waiting.await().until(() -> this.state.dead().size() == 1);
			this.state.awaitDrained();
			awaitEvents("first before one", "first before two", "first after java.io.IOException: two",
					"first after null", "first clear", "first clear");
		}
	}

	@Test
	void aMessageThatIsHandledAloneAfterItsBatchFailedIsInterceptedAnew() {
		this.first.replacement = (message) -> MessageBuilder
			.withPayload((new String((byte[]) message.getPayload(), StandardCharsets.UTF_8) + "!"))
			.copyHeaders(message.getHeaders())
			.build();
		WholeBatch handler = new WholeBatch();
		try (ListenerApplication application = builder(handler).with("redelay.queue.listener.auto-startup", false)
			.start()) {
			application.queues()
				.sendAll(List.of(OutboundMessage.to(this.queue, "one"), OutboundMessage.to(this.queue, "two")));
			application.container().start();
			this.state.awaitDrained();
			assertThat(handler.seen).containsExactly(List.of("one!", "two!"), List.of("one!"), List.of("two!"));
			assertThat(this.state.dead()).isEmpty();
		}
	}

	@Test
	void areNotifiedOfWhatDoesNotFit() {
		try (ListenerApplication application = start(new Numbers())) {
			application.queues().send(this.queue, "no number");
			assertThat(this.state.awaitDead().reason()).isEqualTo("CONVERSION_FAILED");
			assertThat(this.events).hasSizeGreaterThanOrEqualTo(2)
				.anyMatch((event) -> event.startsWith("first after " + PayloadConversionException.class.getName()));
		}
	}

	private void awaitEvents(String... expected) {
		Waiting.await().untilAsserted(() -> assertThat(this.events).containsExactly(expected));
	}

	private ListenerApplication start(Object handler) {
		return builder(handler).start();
	}

	private ListenerApplication.Builder builder(Object handler) {
		return ListenerApplication.on(redis)
			.bean(handler)
			.bean("first", this.first)
			.bean("second", this.second)
			.with("queue", this.queue);
	}

	static class Recording implements DeliveryInterceptor {

		private final String name;

		private final List<String> events;

		final List<Thread> threads = new CopyOnWriteArrayList<>();

		volatile @Nullable Exception failure;

		volatile @Nullable Error failureAfter;

		volatile UnaryOperator<Message<?>> replacement = (message) -> message;

		Recording(String name, List<String> events) {
			this.name = name;
			this.events = events;
		}

		@Override
		public Message<?> beforeHandling(Message<?> message) throws Exception {
			Object payload = message.getPayload();
			record("before "
					+ ((payload instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : payload));
			if (this.failure != null) {
				throw this.failure;
			}
			return this.replacement.apply(message);
		}

		@Override
		public void afterHandling(Message<?> message, @Nullable Throwable failure) {
			record("after " + failure);
			if (this.failureAfter != null) {
				throw this.failureAfter;
			}
		}

		@Override
		public void clearThreadState(Message<?> message) {
			record("clear");
			if (this.failureAfter != null) {
				throw this.failureAfter;
			}
		}

		private void record(String event) {
			this.threads.add(Thread.currentThread());
			this.events.add(this.name + " " + event);
		}

	}

	static class Named {

		private final List<String> events;

		volatile Message<String> message;

		Named(List<String> events) {
			this.events = events;
		}

		@QueueListener(queues = "${queue}", interceptors = "first, ${no.such:second}")
		void handle(Message<String> message, DeliveryInfo info) {
			this.message = message;
			this.events.add("handle " + message.getPayload());
			if (message.getPayload().startsWith("fail")) {
				throw new IllegalStateException(message.getPayload());
			}
		}

	}

	static class Unnamed {

		private final List<String> events;

		Unnamed(List<String> events) {
			this.events = events;
		}

		@QueueListener("${queue}")
		void handle(String payload) {
			this.events.add("handle " + payload);
		}

	}

	static class NamedGlobal {

		@QueueListener(queues = "${queue}", interceptors = { "first", "outer" })
		void handle(String payload) {
		}

	}

	static class Numbers {

		final List<Amount> numbers = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", interceptors = "first")
		void handle(Amount number) {
			this.numbers.add(number);
		}

		record Amount(int number) {

		}

	}

	static class Future {

		final List<CompletableFuture<Void>> results = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", interceptors = "first")
		CompletableFuture<Void> handle(String payload) {
			CompletableFuture<Void> result = new CompletableFuture<>();
			this.results.add(result);
			return result;
		}

	}

	static class Batch {

		@QueueListener(queues = "${queue}", interceptors = "first", maxAttempts = "1")
		void handle(List<String> payloads) {
			throw new BatchFailedException(Map.of(payloads.indexOf("two"), new IOException("two")));
		}

	}

	static class WholeBatch {

		final List<List<String>> seen = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", interceptors = "first", concurrency = "1", maxAttempts = "1")
		void handle(List<String> payloads) throws IOException {
			this.seen.add(payloads);
			if (payloads.size() > 1) {
				throw new IOException("too many");
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Globals {

		@Bean
		@GlobalInterceptor
		@Order(2)
		Recording inner(List<String> events) {
			return new Recording("inner", events);
		}

		@Bean
		@GlobalInterceptor
		@Order(1)
		Recording outer(List<String> events) {
			return new Recording("outer", events);
		}

	}

}
