package io.redelay.queue.listener;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.redelay.delivery.GiveBackMessage;
import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.QueueListener;
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
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for who says that a message is done, and when.
 */
class AcknowledgmentIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aManualAcknowledgementMayComeLaterFromAnotherThread() throws Exception {
		Manual handler = new Manual();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "x");
			Delivered delivered = handler.next();
			Awaitility.await().during(Duration.ofMillis(200)).until(() -> this.state.held() == 1);
			assertThat(this.state.messages()).hasSize(1);
			CompletableFuture.runAsync(delivered.acknowledgment()::acknowledge).get(60, TimeUnit.SECONDS);
			this.state.awaitDrained();
			assertThat(handler.delivered).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anUnacknowledgedMessageKeepsItsPermit() throws Exception {
		Manual handler = new Manual();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "first");
			application.queues().send(this.queue, "second");
			Delivered first = handler.next();
			assertThat(handler.delivered.poll(300, TimeUnit.MILLISECONDS)).isNull();
			first.acknowledgment().acknowledge();
			handler.next().acknowledgment().acknowledge();
			this.state.awaitDrained();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aNegativeAcknowledgementIsAFailure() throws Exception {
		Manual handler = new Manual();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "x");
			handler.next().acknowledgment().nack();
			Delivered again = handler.next();
			assertThat(again.info().failures()).isEqualTo(1);
			again.acknowledgment().nack();
			handler.next().acknowledgment().nack();
			assertThat(this.state.awaitDead().reason()).isEqualTo("FAILED");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aNegativeAcknowledgementMaySayHowLongToWait() throws Exception {
		Manual handler = new Manual();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "x");
			Acknowledgment first = handler.next().acknowledgment();
			assertThatIllegalArgumentException().isThrownBy(() -> first.nack(Duration.ofMillis(-1)));
			Instant before = QueueState.now(redis);
			first.nack(Duration.ofMillis(300));
			Delivered again = handler.next();
			assertThat(QueueState.now(redis)).isAfterOrEqualTo(before.plusMillis(300));
			assertThat(again.info().failures()).isEqualTo(1);
			again.acknowledgment().acknowledge();
			this.state.awaitDrained();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aDelayOutOfRangeIsAFailureOfTheHandlers() throws Exception {
		Manual handler = new Manual();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "x");
			handler.next().acknowledgment().nack(Duration.ofDays(3651));
			Delivered again = handler.next();
			assertThat(again.info().failures()).isEqualTo(1);
			again.acknowledgment().reject("enough");
			assertThat(this.state.awaitDead().history()).singleElement()
				.asString()
				.contains("IllegalArgumentException", "'delay' of a nack must be 0 to 3650 days");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMessageIsNotGivenBackForCenturies() {
		try (ListenerApplication application = start(new Throwing((acknowledgment) -> new GoneForCenturies()))) {
			application.queues().send(this.queue, "x");
			QueueState.Dead dead = this.state.awaitDead();
			assertThat(dead.reason()).isEqualTo("FAILED");
			assertThat(dead.message()).contains("The give-back delay of a " + GoneForCenturies.class.getName(),
					"must be 0 to 3650 days");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRejectedMessageIsDead() throws Exception {
		Manual handler = new Manual();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "x");
			handler.next().acknowledgment().reject("no such thing");
			QueueState.Dead dead = this.state.awaitDead();
			assertThat(dead.reason()).isEqualTo("REJECTED");
			assertThat(dead.message()).isEqualTo("no such thing");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theFirstWordCounts() throws Exception {
		Manual handler = new Manual();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "x");
			Acknowledgment acknowledgment = handler.next().acknowledgment();
			acknowledgment.acknowledge();
			acknowledgment.nack();
			acknowledgment.reject("too late");
			this.state.awaitDrained();
			assertThat(this.state.dead()).isEmpty();
			assertThat(handler.delivered.poll(200, TimeUnit.MILLISECONDS)).isNull();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aManualHandlerThatThrowsHasFailed() {
		Throwing handler = new Throwing((acknowledgment) -> new IllegalStateException("first"));
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "x");
			assertThat(this.state.awaitDead().message()).contains("first");
		}
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void aFailureAfterTheAcknowledgementIsReported(CapturedLog log) {
		Throwing handler = new Throwing((acknowledgment) -> {
			acknowledgment.acknowledge();
			return new IllegalStateException("after the fact");
		});
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "x");
			this.state.awaitDrained();
			Awaitility.await().untilAsserted(() -> assertThat(log.entriesWith("after the fact")).isNotEmpty());
			assertThat(this.state.dead()).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aHandlerMayAcknowledgeEarlyInAutoModeToo() {
		Auto handler = new Auto();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "x");
			assertThat(this.state.awaitDead().message()).isEqualTo("auto");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void awaitsAFutureWithoutHoldingAThread() {
		Async handler = new Async((message) -> new CompletableFuture<>());
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.with("concurrency", 20)
			.start()) {
			for (int i = 0; i < 20; i++) {
				application.queues().send(this.queue, i);
			}
			Awaitility.await().until(() -> handler.results.size() == 20);
			assertThat(this.state.messages()).hasSize(20);
			Awaitility.await()
				.untilAsserted(
						() -> assertThat(Thread.getAllStackTraces()).allSatisfy((thread, stack) -> assertThat(stack)
							.noneMatch((frame) -> frame.getClassName().equals(Async.class.getName()))));
			handler.results.forEach((result) -> ((CompletableFuture<?>) result).complete(null));
			this.state.awaitDrained();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFutureKeepsItsPermit() {
		Async handler = new Async((message) -> new CompletableFuture<>());
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, 1);
			application.queues().send(this.queue, 2);
			Awaitility.await().until(() -> handler.results.size() == 1);
			Awaitility.await().during(Duration.ofMillis(300)).until(() -> handler.results.size() == 1);
			((CompletableFuture<?>) handler.results.peek()).complete(null);
			Awaitility.await().until(() -> handler.results.size() == 2);
			handler.results.forEach((result) -> ((CompletableFuture<?>) result).complete(null));
			this.state.awaitDrained();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void awaitsAMono() {
		Sinks.One<String> sink = Sinks.one();
		Async handler = new Async((message) -> sink.asMono());
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "x");
			Awaitility.await().until(() -> !handler.results.isEmpty());
			Awaitility.await().during(Duration.ofMillis(200)).until(() -> this.state.held() == 1);
			sink.tryEmitValue("done");
			this.state.awaitDrained();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void awaitsAnEmptyMonoAndAFlux() {
		Sinks.Many<String> sink = Sinks.many().multicast().onBackpressureBuffer();
		Async handler = new Async((message) -> message.equals("mono") ? Mono.empty() : Flux.from(sink.asFlux()));
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "mono");
			this.state.awaitDrained();
			application.queues().send(this.queue, "flux");
			Awaitility.await().until(() -> handler.results.size() == 2);
			sink.tryEmitNext("a");
			Awaitility.await().during(Duration.ofMillis(200)).until(() -> this.state.held() == 1);
			sink.tryEmitComplete();
			this.state.awaitDrained();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMonoOrAFluxThatFailsCountsAsAFailure() {
		Async handler = new Async((message) -> message.equals("mono") ? Mono.error(new IllegalStateException("of mono"))
				: Flux.just(1).concatWith(Flux.error(new IllegalStateException("of flux"))));
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, "mono");
			application.queues().send(this.queue, "flux");
			List<QueueState.Dead> dead = Awaitility.await().until(this.state::dead, (all) -> all.size() == 2);
			assertThat(dead).extracting(QueueState.Dead::message)
				.allMatch((message) -> message.contains("of mono") || message.contains("of flux"));
			assertThat(handler.results).hasSize(6);
		}
	}

	private ListenerApplication start(Object handler) {
		return ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.with("concurrency", 1)
			.with("redelay.queue.listener.max-attempts", 3)
			.start();
	}

	record Delivered(Acknowledgment acknowledgment, DeliveryInfo info) {

	}

	static class Manual {

		final BlockingQueue<Delivered> delivered = new LinkedBlockingQueue<>();

		@QueueListener(queues = "${queue}", ackMode = AckMode.MANUAL, concurrency = "${concurrency}")
		void handle(Acknowledgment acknowledgment, DeliveryInfo info) {
			this.delivered.add(new Delivered(acknowledgment, info));
		}

		Delivered next() throws InterruptedException {
			Delivered next = this.delivered.poll(60, TimeUnit.SECONDS);
			assertThat(next).isNotNull();
			return next;
		}

	}

	static class Throwing {

		private final Function<Acknowledgment, RuntimeException> body;

		Throwing(Function<Acknowledgment, RuntimeException> body) {
			this.body = body;
		}

		@QueueListener(queues = "${queue}", ackMode = AckMode.MANUAL, concurrency = "${concurrency}")
		void handle(Acknowledgment acknowledgment) {
			throw this.body.apply(acknowledgment);
		}

	}

	static class Auto {

		@QueueListener(queues = "${queue}")
		void handle(Acknowledgment acknowledgment) {
			acknowledgment.reject("auto");
		}

	}

	static class Async {

		final Queue<Object> results = new ConcurrentLinkedQueue<>();

		private final Function<String, Object> body;

		Async(Function<String, Object> body) {
			this.body = body;
		}

		@QueueListener(queues = "${queue}", concurrency = "${concurrency}")
		Object handle(String message) {
			Object result = this.body.apply(message);
			this.results.add(result);
			return result;
		}

	}

	@SuppressWarnings("serial")
	static class GoneForCenturies extends RuntimeException implements GiveBackMessage {

		@Override
		public Duration getGiveBackDelay() {
			return Duration.ofDays(100_000);
		}

	}

}
