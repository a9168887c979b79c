package io.redelay.queue.claim;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

import io.redelay.delivery.GiveBackMessage;
import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.RetryMessageException;
import io.redelay.queue.batch.BatchFailedException;
import io.redelay.queue.listener.QueueErrorHandler;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import io.redelay.test.Waiting;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Mono;

import org.springframework.messaging.Message;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueErrorHandler}.
 */
class ErrorHandlerIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private final Asked asked = new Asked();

	@Test
	void aMessageWhoseFailureIsDealtWithIsDone() {
		Failing handler = new Failing();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(OutboundMessage.to(this.queue, new Order(7)).id("seven").header("tenant", "a"));
			this.state.awaitDrained();
			assertThat(this.state.dead()).isEmpty();
			assertThat(handler.calls).hasSize(1);
			assertThat(this.asked.only().getPayload()).isEqualTo(new Order(7));
			assertThat(this.asked.only().getHeaders()).containsEntry("tenant", "a")
				.containsEntry(QueueHeaders.ID, "seven")
				.containsEntry(QueueHeaders.QUEUE, this.queue)
				.containsEntry(QueueHeaders.ATTEMPT, 1);
			assertThat(this.asked.failures).singleElement()
				.isInstanceOf(IOException.class)
				.extracting(Throwable::getMessage)
				.isEqualTo("number 7");
		}
	}

	@Test
	void whatItThrowsIsTheFailureFromThereOn() {
		this.asked.answer = (failure) -> new IllegalStateException("translated");
		try (ListenerApplication application = start(new Failing())) {
			application.queues().send(OutboundMessage.to(this.queue, new Order(7)).maxAttempts(2));
			QueueState.Dead dead = this.state.awaitDead();
			assertThat(dead.message()).contains("2 times").contains("translated");
			assertThat(dead.cause().get("exception").asString()).isEqualTo(IllegalStateException.class.getName());
			assertThat(dead.cause().get("stackTrace").asString()).contains("Suppressed: java.io.IOException: number 7");
			assertThat(this.asked.failures).hasSize(2);
		}
	}

	@Test
	void theFailureThatIsThrownAgainIsNotSuppressedByItself() {
		this.asked.answer = (failure) -> new RuntimeException("again", failure);
		try (ListenerApplication application = start(new Failing())) {
			application.queues().send(OutboundMessage.to(this.queue, new Order(7)).maxAttempts(1));
			this.state.awaitDead();
			assertThat(this.asked.answered).singleElement()
				.satisfies((answered) -> assertThat(answered.getSuppressed()).isEmpty());
		}
	}

	@Test
	void decidesWhenTheMessageComesAgain() {
		this.asked.answer = (failure) -> (this.asked.failures.size() == 1)
				? new RetryMessageException(Duration.ofMillis(200)) : null;
		try (ListenerApplication application = start(new Failing())) {
			application.queues().send(this.queue, new Order(7));
			this.state.awaitDrained();
			assertThat(this.asked.messages).hasSize(2);
			assertThat(this.asked.pause()).isGreaterThanOrEqualTo(Duration.ofMillis(200));
		}
	}

	@Test
	void decidesThatTheMessageIsDead() {
		this.asked.answer = (failure) -> new IllegalStateException(new RejectMessageException("of no use"));
		Failing handler = new Failing();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, new Order(7));
			QueueState.Dead dead = this.state.awaitDead();
			assertThat(dead.reason()).isEqualTo("REJECTED");
			assertThat(dead.message()).isEqualTo("of no use");
			assertThat(handler.calls).hasSize(1);
		}
	}

	@Test
	void isAskedAboutWhatTheHandlerDecidesToo() {
		Failing handler = new Failing();
		handler.failure = (order) -> new RejectMessageException("no");
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, new Order(7));
			this.state.awaitDrained();
			assertThat(this.state.dead()).isEmpty();
		}
	}

	@Test
	void mayBlockForAFuture() {
		FailingFuture handler = new FailingFuture();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, new Order(7));
			Waiting.await().until(() -> handler.results.size() == 1);
			Thread thread = Thread.currentThread();
			handler.results.get(0).completeExceptionally(new IOException("late"));
			this.state.awaitDrained();
			assertThat(this.asked.failures).singleElement().isInstanceOf(IOException.class);
			assertThat(this.asked.threads).singleElement()
				.isNotSameAs(thread)
				.satisfies((each) -> assertThat(each.getName()).startsWith("redelay-handler"));
		}
	}

	@Test
	void isAskedAboutAMono() {
		try (ListenerApplication application = start(new FailingMono())) {
			application.queues().send(this.queue, new Order(7));
			this.state.awaitDrained();
			assertThat(this.asked.only().getPayload()).isEqualTo(new Order(7));
			assertThat(this.asked.failures).singleElement().isInstanceOf(IOException.class);
		}
	}

	@Test
	void dealsWithAManuallyAcknowledgedMessage() {
		try (ListenerApplication application = start(new FailingManual())) {
			application.queues().send(this.queue, new Order(1));
			this.state.awaitDrained();
			assertThat(this.asked.messages).hasSize(1);
			application.queues().send(this.queue, new Order(2));
			assertThat(this.state.awaitDead().message()).isEqualTo("by hand");
			assertThat(this.asked.messages).hasSize(1);
		}
	}

	@Test
	void itsOwnAcknowledgmentIsTheFirstWord() {
		this.asked.answer = (failure) -> {
			this.asked.only()
				.getHeaders()
				.get(QueueHeaders.ACKNOWLEDGMENT, Acknowledgment.class)
				.reject("by the handler");
			return new IllegalStateException();
		};
		try (ListenerApplication application = start(new Failing())) {
			application.queues().send(this.queue, new Order(7));
			assertThat(this.state.awaitDead().message()).isEqualTo("by the handler");
		}
	}

	@Test
	void isNotAskedAboutWhatWasNotHandled() {
		Failing handler = new Failing();
		handler.failure = (order) -> (handler.calls.size() == 1) ? new Busy() : null;
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "no order");
			assertThat(this.state.awaitDead().reason()).isEqualTo("CONVERSION_FAILED");
			application.queues().send(this.queue, new Order(7));
			this.state.awaitDrained();
			assertThat(handler.calls).hasSize(2);
			assertThat(this.asked.messages).isEmpty();
		}
	}

	@Test
	void isNotAskedAboutAHandlerThatTookTooLong() {
		Failing handler = new Failing();
		handler.failure = (order) -> {
			try {
				new CompletableFuture<>().get();
				return null;
			}
			catch (Exception ex) {
				return ex;
			}
		};
		try (ListenerApplication application = builder(handler)
			.with("redelay.queue.listener.max-handling-time", "100ms")
			.start()) {
			application.queues().send(OutboundMessage.to(this.queue, new Order(7)).maxAttempts(1));
			assertThat(this.state.awaitDead().message()).contains("maxHandlingTime");
			assertThat(this.asked.messages).isEmpty();
		}
	}

	@Test
	void anErrorHandlerThatHangsIsEndedLikeAHandler() {
		this.asked.answer = (failure) -> {
			try {
				new CompletableFuture<>().get();
				return null;
			}
			catch (Exception ex) {
				return ex;
			}
		};
		try (ListenerApplication application = builder(new Failing())
			.with("redelay.queue.listener.max-handling-time", "200ms")
			.start()) {
			application.queues().send(OutboundMessage.to(this.queue, new Order(7)).maxAttempts(1));
			assertThat(this.state.awaitDead().message()).contains("maxHandlingTime");
		}
	}

	@Test
	void isAskedAboutTheMessagesOfABatchThatFailed() {
		FailingBatch handler = new FailingBatch();
		this.asked.answer = (failure) -> (failure instanceof IOException) ? null : failure;
		try (ListenerApplication application = builder(handler).with("redelay.queue.listener.auto-startup", false)
			.start()) {
			application.queues()
				.sendAll(List.of(OutboundMessage.to(this.queue, new Order(0)),
						OutboundMessage.to(this.queue, new Order(1)), OutboundMessage.to(this.queue, new Order(2))));
			application.container().start();
			this.state.awaitDrained();
			assertThat(this.state.awaitDead().message()).isEqualTo("the second");
			assertThat(handler.calls).containsExactly(3);
			assertThat(this.asked.messages).extracting(Message::getPayload)
				.map(Object.class::cast)
				.containsExactly(new Order(1), new Order(2));
		}
	}

	@Test
	void isAskedAboutEachMessageOfABatchWhenItFailedAlone() {
		WholeBatch handler = new WholeBatch();
		try (ListenerApplication application = builder(handler).with("redelay.queue.listener.auto-startup", false)
			.start()) {
			application.queues()
				.sendAll(List.of(OutboundMessage.to(this.queue, new Order(0)),
						OutboundMessage.to(this.queue, new Order(1))));
			application.container().start();
			this.state.awaitDrained();
			assertThat(handler.calls).containsExactly(2, 1, 1);
			assertThat(this.asked.messages).extracting(Message::getPayload)
				.map(Object.class::cast)
				.containsExactly(new Order(1));
		}
	}

	@Test
	void theBeanOfTheUsualNameIsAskedWhereNoneIsNamed() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(new Unnamed())
			.bean(QueueErrorHandler.DEFAULT_BEAN_NAME, this.asked)
			.with("queue", this.queue)
			.start()) {
			application.queues().send(this.queue, "x");
			this.state.awaitDrained();
			assertThat(this.asked.messages).hasSize(1);
		}
	}

	@Test
	void aPropertyNamesTheBeanForOneQueue() {
		Asked other = new Asked();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(new Failing())
			.bean("asked", other)
			.bean("forOneQueue", this.asked)
			.with("queue", this.queue)
			.with("redelay.queue.queues[" + this.queue + "].error-handler", "forOneQueue")
			.start()) {
			application.queues().send(this.queue, new Order(7));
			this.state.awaitDrained();
			assertThat(this.asked.messages).hasSize(1);
			assertThat(other.messages).isEmpty();
		}
	}

	private ListenerApplication start(Object handler) {
		return builder(handler).start();
	}

	private ListenerApplication.Builder builder(Object handler) {
		return ListenerApplication.on(redis).bean(handler).bean("asked", this.asked).with("queue", this.queue);
	}

	record Order(int number) {

	}

	@SuppressWarnings("serial")
	static class Busy extends RuntimeException implements GiveBackMessage {

		@Override
		public Duration getGiveBackDelay() {
			return Duration.ofMillis(1);
		}

	}

	static class Asked implements QueueErrorHandler {

		final List<Message<?>> messages = new CopyOnWriteArrayList<>();

		final List<Throwable> failures = new CopyOnWriteArrayList<>();

		final List<Thread> threads = new CopyOnWriteArrayList<>();

		final List<Throwable> answered = new CopyOnWriteArrayList<>();

		private final List<Long> nanos = new CopyOnWriteArrayList<>();

		volatile Function<Throwable, @Nullable Throwable> answer = (failure) -> null;

		@Override
		public void handle(Message<?> message, Throwable failure) throws Throwable {
			this.nanos.add(System.nanoTime());
			this.messages.add(message);
			this.failures.add(failure);
			this.threads.add(Thread.currentThread());
			Throwable answered = this.answer.apply(failure);
			if (answered != null) {
				this.answered.add(answered);
				throw answered;
			}
		}

		Message<?> only() {
			assertThat(this.messages).hasSize(1);
			return this.messages.get(0);
		}

		Duration pause() {
			return Duration.ofNanos(this.nanos.get(1) - this.nanos.get(0));
		}

	}

	static class Failing {

		final List<Order> calls = new CopyOnWriteArrayList<>();

		volatile Function<Order, @Nullable Throwable> failure = (order) -> new IOException("number " + order.number());

		@QueueListener(queues = "${queue}", errorHandler = "#{'asked'}")
		void handle(Order order) throws Throwable {
			this.calls.add(order);
			Throwable thrown = this.failure.apply(order);
			if (thrown != null) {
				throw thrown;
			}
		}

	}

	static class FailingFuture {

		final List<CompletableFuture<Void>> results = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", errorHandler = "asked")
		CompletableFuture<Void> handle(Message<Order> order) {
			CompletableFuture<Void> result = new CompletableFuture<>();
			this.results.add(result);
			return result;
		}

	}

	static class FailingMono {

		@QueueListener(queues = "${queue}", errorHandler = "asked")
		Mono<Void> handle(Message<Order> order) {
			return Mono.error(new IOException("mono"));
		}

	}

	static class FailingManual {

		@QueueListener(queues = "${queue}", errorHandler = "asked", ackMode = AckMode.MANUAL)
		void handle(Order order, Acknowledgment acknowledgment) {
			if (order.number() == 2) {
				acknowledgment.reject("by hand");
			}
			throw new IllegalStateException("manual");
		}

	}

	static class FailingBatch {

		final List<Integer> calls = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", errorHandler = "asked")
		void handle(List<Order> orders) {
			this.calls.add(orders.size());
			throw new BatchFailedException(
					Map.of(1, new IllegalStateException(new RejectMessageException("the second")), 2,
							new IOException("the third")));
		}

	}

	static class WholeBatch {

		final List<Integer> calls = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", errorHandler = "asked", concurrency = "1")
		void handle(List<Message<Order>> orders) throws IOException {
			this.calls.add(orders.size());
			if (orders.stream().anyMatch((order) -> order.getPayload().number() == 1)) {
				throw new IOException("one is among them");
			}
		}

	}

	static class Unnamed {

		@QueueListener("${queue}")
		void handle() {
			throw new IllegalStateException();
		}

	}

}
