package io.redelay.queue.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.batch.BatchFailedException;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.BundleSummary;
import io.redelay.queue.bundle.MessageBundles;
import io.redelay.queue.listener.MessageRetryListener;
import io.redelay.queue.listener.Paused;
import io.redelay.queue.listener.QueueErrorHandler;
import io.redelay.queue.listener.QueueHandler;
import io.redelay.queue.listener.QueueListeners;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.queue.recurring.RecurringTick;
import io.redelay.queue.work.CancellationReason;
import io.redelay.queue.work.CancellationToken;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.queue.work.MessageDelivery;
import io.redelay.queue.work.MessageStoppedException;
import io.redelay.queue.work.QueueReceiver;
import io.redelay.queue.work.ReceivedMessage;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import io.redelay.test.Waiting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RedissonClient;
import reactor.core.publisher.Mono;

import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for handlers that end when their listener stops, before their work is done.
 */
class StopSignalIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	/**
	 * For how long the application would wait for a handler. A stop that takes a third of
	 * it has waited for none.
	 */
	private static final Duration PHASE = Duration.ofSeconds(60);

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whateverSaysThatItStoppedGivesItsMessageBackAtOnceWithNothingCounted() {
		Work first = new Work(true);
		Work second = new Work(false);
		ListenerApplication stopping = application(new Shapes(first)).start();
		List<String> names = Shapes.names();
		for (String name : names) {
			stopping.queues().send(OutboundMessage.to(name + "-" + this.queue, "x").id("long").maxAttempts(1));
		}
		Waiting.await().until(() -> first.begun.size() == names.size());
		try (ListenerApplication other = application(new Shapes(second)).start()) {
			closeSoon(stopping);
			Waiting.await().until(() -> second.begun.size() == names.size());
			for (String name : names) {
				QueueState each = QueueState.of(redis, name + "-" + this.queue);
				each.awaitDrained();
				assertThat(each.tries()).as(name).isZero();
				assertThat(each.dead()).as(name).isEmpty();
			}
			assertThat(other.container().isRunning()).isTrue();
		}
		assertThat(second.begun).hasSize(names.size()).allMatch((info) -> info.attempt() == 1);
		assertThat(first.reasons).hasSize(names.size()).containsOnly(CancellationReason.SHUTDOWN);
		assertThat(first.errors).isEmpty();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void comesBackInFrontOfThoseThatHaveWaitedBehindIt() {
		Work first = new Work(true);
		Work second = new Work(false);
		ListenerApplication stopping = application(new Single(first)).with("redelay.queue.listener.prefetch", 2)
			.start();
		for (int i = 0; i < 5; i++) {
			stopping.queues().send(OutboundMessage.to(this.queue, "x").id("n" + i));
		}
		Waiting.await().until(() -> this.state.held() == 3 && first.begun.size() == 1);
		closeSoon(stopping);
		assertThat(this.state.held()).isZero();
		try (ListenerApplication other = application(new Single(second)).start()) {
			this.state.awaitDrained();
			assertThat(other.container().isRunning()).isTrue();
		}
		assertThat(second.begun).extracting(DeliveryInfo::id).containsExactly("n0", "n1", "n2", "n3", "n4");
		assertThat(second.begun).allMatch((info) -> info.attempt() == 1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aHandlerThatGoesOnHasTheTimeOfTheShutdown() throws Exception {
		Work work = new Work(false);
		CompletableFuture<Void> end = new CompletableFuture<>();
		work.waits = end;
		ListenerApplication stopping = application(new Single(work)).start();
		stopping.queues().send(this.queue, "x");
		Waiting.await().until(() -> work.begun.size() == 1);
		CompletableFuture<Void> closed = CompletableFuture.runAsync(stopping::close);
		assertThat(work.reasons.poll(60, TimeUnit.SECONDS)).isEqualTo(CancellationReason.SHUTDOWN);
		assertThat(closed).isNotDone();
		end.complete(null);
		closed.get(60, TimeUnit.SECONDS);
		assertThat(this.state.messages()).as("acknowledged").isEmpty();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aSingleListenerThatIsStoppedNotifiesItsHandlersToo() throws Exception {
		Work work = new Work(true);
		try (ListenerApplication application = application(new Single(work)).start()) {
			application.queues().send(OutboundMessage.to(this.queue, "x").maxAttempts(1));
			Waiting.await().until(() -> work.begun.size() == 1);
			application.bean(QueueListeners.class).stop("single-" + this.queue).get(60, TimeUnit.SECONDS);
			assertThat(this.state.ready()).isEqualTo(1);
			work.stops = false;
			application.bean(QueueListeners.class).start("single-" + this.queue);
			this.state.awaitDrained();
			assertThat(work.begun).hasSize(2).allMatch((info) -> info.attempt() == 1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBatchGoesBackWholeButForWhatIsAcknowledged() {
		Batches first = new Batches(true);
		Batches second = new Batches(false);
		ListenerApplication stopping = application(first).start();
		for (String each : List.of("whole", "parts", "manual", "future")) {
			stopping.queues()
				.sendAll(Stream.of("a", "b", "c")
					.map((payload) -> OutboundMessage.to(each + "-" + this.queue, payload).maxAttempts(1))
					.toList());
		}
		Waiting.await().until(() -> first.begun.size() == 4);
		closeSoon(stopping);
		try (ListenerApplication other = application(second).start()) {
			for (String each : List.of("whole", "parts", "manual", "future")) {
				QueueState.of(redis, each + "-" + this.queue).awaitDrained();
				assertThat(QueueState.of(redis, each + "-" + this.queue).dead()).as(each).isEmpty();
			}
			assertThat(other.container().isRunning()).isTrue();
		}
		Map<String, List<String>> handled = new LinkedHashMap<>();
		second.begun.forEach((line) -> handled.computeIfAbsent(line.split(" ")[0], (name) -> new ArrayList<>())
			.addAll(List.of(line.split(" ")).subList(1, line.split(" ").length)));
		assertThat(handled).containsEntry("whole", List.of("a1", "b1", "c1"))
			.containsEntry("future", List.of("a1", "b1", "c1"))
			.containsEntry("parts", List.of("b1"))
			.containsEntry("manual", List.of("b1", "c1"));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBatchThatStopsIsNotDividedAndAPartThatStopsHidesNoFailureOfAnother() {
		PausedBatches handler = new PausedBatches();
		try (ListenerApplication application = application(handler).start()) {
			application.queues()
				.sendAll(Stream.of("s1", "s2", "s3")
					.map((payload) -> OutboundMessage.to("paused-" + this.queue, payload).maxAttempts(1))
					.toList());
			application.queues()
				.sendAll(Stream.of("stops", "stops", "fails")
					.map((type) -> OutboundMessage.to("parts-" + this.queue, type).payloadType(type))
					.map((message) -> message.maxAttempts(1))
					.toList());
			QueueState.of(redis, "paused-" + this.queue).awaitDrained();
			QueueState parts = QueueState.of(redis, "parts-" + this.queue);
			assertThat(parts.awaitDead().raw()).contains("fails");
			handler.ends = true;
			parts.awaitDrained();
		}
		assertThat(handler.begun).containsExactly(List.of("s1", "s2", "s3"), List.of("s1", "s2", "s3"));
		assertThat(handler.stopped).hasSizeGreaterThan(1).containsOnly(2);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anOrderingKeyKeepsItsOrderAndAnIdempotencyKeyIsFree() {
		Work first = new Work(true);
		Work second = new Work(false);
		ListenerApplication stopping = application(new Keyed(first)).start();
		for (int i = 0; i < 3; i++) {
			stopping.queues()
				.send(OutboundMessage.to(this.queue, "p" + i).id("n" + i).orderingKey("k").fairnessKey("f"));
		}
		Waiting.await().until(() -> first.begun.size() == 1);
		long start = System.nanoTime();
		try (ListenerApplication other = application(new Keyed(second)).start()) {
			closeSoon(stopping);
			this.state.awaitDrained();
			assertThat(other.container().isRunning()).isTrue();
		}
		assertThat(Duration.ofNanos(System.nanoTime() - start)).as("the lease of the key, which nobody had to wait for")
			.isLessThan(PHASE.dividedBy(2));
		assertThat(second.begun).extracting(DeliveryInfo::id).containsExactly("n0", "n1", "n2");
		assertThat(second.begun).allMatch((info) -> info.attempt() == 1);
		assertThat(redis.client().getKeys().countExists("redelay:{" + this.queue + "}:busy")).isZero();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aTickComesAgainWithItsNumberAndIsNoOverlap() {
		Ticks first = new Ticks(true);
		Ticks second = new Ticks(false);
		ListenerApplication stopping = application(first).start();
		stopping.bean(RecurringMessages.class)
			.declare(RecurringDeclaration.every(this.queue, "tick", Duration.ofMillis(300)));
		Waiting.await().until(() -> first.handled.size() == 1);
		try (ListenerApplication other = application(second).start()) {
			closeSoon(stopping);
			Waiting.await().until(() -> second.handled.size() >= 2);
			other.bean(RecurringMessages.class).remove(this.queue, "tick");
		}
		assertThat(first.handled).hasSize(1);
		assertThat(second.handled.get(0).scheduledFor()).isEqualTo(first.handled.get(0).scheduledFor());
		assertThat(second.handled).extracting(RecurringTick::scheduledFor).doesNotHaveDuplicates();
		assertThat(second.attempts).containsOnly(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBundleCountsItsMessageOnce() throws Exception {
		String done = TestRedis.queue();
		Work first = new Work(true);
		Work second = new Work(false);
		ListenerApplication stopping = application(new Single(first)).start();
		Summaries summaries = new Summaries();
		try (ListenerApplication sender = ListenerApplication.on(redis).bean(summaries).with("queue", done).start()) {
			sender.bean(MessageBundles.class)
				.send(BundleCallback.to(done).id("b"), List.of(OutboundMessage.to(this.queue, "x").maxAttempts(1)));
			Waiting.await().until(() -> first.begun.size() == 1);
			closeSoon(stopping);
			try (ListenerApplication other = application(new Single(second)).start()) {
				BundleSummary summary = summaries.all.poll(60, TimeUnit.SECONDS);
				assertThat(summary).isNotNull();
				assertThat(summary.acknowledged()).isEqualTo(1);
				assertThat(summary.total()).isEqualTo(1);
				assertThat(other.container().isRunning()).isTrue();
			}
		}
		assertThat(summaries.all).isEmpty();
		assertThat(second.begun).hasSize(1).allMatch((info) -> info.attempt() == 1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatAProgramReceivedGoesBackWhenItsTokenTurns() {
		ListenerApplication stopping = application("no listener").start();
		stopping.queues().send(OutboundMessage.to(this.queue, "x").id("n0").maxAttempts(1));
		stopping.queues().send(OutboundMessage.to(this.queue, "x").id("n1"));
		ReceivedMessage<String> message = stopping.bean(QueueReceiver.class)
			.receive(this.queue, String.class, 1, Duration.ofSeconds(30))
			.get(0);
		message.cancellation().onCancel((reason) -> message.giveBack());
		closeSoon(stopping);
		assertThat(this.state.held()).isZero();
		Work work = new Work(false);
		try (ListenerApplication other = application(new Single(work)).start()) {
			this.state.awaitDrained();
			assertThat(other.container().isRunning()).isTrue();
		}
		assertThat(work.begun).extracting(DeliveryInfo::id).containsExactly("n0", "n1");
		assertThat(work.begun).allMatch((info) -> info.attempt() == 1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatWasAcknowledgedBeforeIsReportedAsLost() {
		Lost lost = new Lost();
		AtMostOnce handler = new AtMostOnce();
		ListenerApplication stopping = application(handler).bean(lost).start();
		stopping.queues().send(this.queue, "x");
		Waiting.await().until(() -> handler.begun.size() == 1);
		closeSoon(stopping);
		assertThat(lost.failures).singleElement().isInstanceOf(MessageStoppedException.class);
		assertThat(this.state.messages()).isEmpty();
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void outsideOfAShutdownItComesAgainAfterADelayWhichIsReportedOnce(CapturedLog log) {
		Work work = new Work(true);
		work.waits = CompletableFuture.completedFuture(null);
		Lost lost = new Lost();
		QueueErrorHandler errors = (message, failure) -> work.errors.add(failure);
		try (ListenerApplication application = application(new Single(work)).bean(lost)
			.bean("queueErrorHandler", errors)
			.start()) {
			long start = System.nanoTime();
			application.queues().send(OutboundMessage.to(this.queue, "x").maxAttempts(1));
			Waiting.await().until(() -> work.begun.size() == 3);
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(1900));
			work.stops = false;
			this.state.awaitDrained();
		}
		assertThat(work.begun).allMatch((info) -> info.attempt() == 1);
		assertThat(work.errors).isEmpty();
		assertThat(lost.retried).isEmpty();
		assertThat(log.entriesWith("its handler stopped although nothing asked it to", this.queue)).hasSize(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void comesAgainWhenItsHandlerSays() {
		Sliced handler = new Sliced();
		try (ListenerApplication application = application(handler).start()) {
			application.queues().send(OutboundMessage.to(this.queue, "x").maxAttempts(1));
			this.state.awaitDrained();
		}
		assertThat(handler.times).hasSize(3);
		assertThat(Duration.ofNanos(handler.times.get(2) - handler.times.get(0))).isGreaterThan(Duration.ofMillis(190));
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void aHandlerWhoseTimeIsOverAndWhoseMessageIsSettledIsNoFailure(CapturedLog log) {
		Work work = new Work(true);
		try (ListenerApplication application = application(new Single(work)).start()) {
			application.queues()
				.send(OutboundMessage.to(this.queue, "x").maxAttempts(1).maxHandlingTime(Duration.ofMillis(50)));
			this.state.awaitDead();
		}
		assertThat(work.begun).hasSize(1);
		Waiting.await().untilAsserted(() -> assertThat(work.reasons).containsExactly(CancellationReason.TIMED_OUT));
		assertThat(log.entriesWith("failed after its 1 message(s) had been settled", this.queue)).isEmpty();
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void whileRedisIsAwayTheStopEndsInTimeAndTheMessageComesBackWithItsLease(CapturedLog log) {
		RedisServer server = RedisServer.start();
		RedissonClient client = TestRedis.connect(server.uri());
		Work first = new Work(true);
		Work second = new Work(false);
		try {
			ListenerApplication stopping = ListenerApplication.on(client)
				.bean(new Single(first))
				.with("queue", this.queue)
				.with("lease", "2s")
				.with("redelay.queue.shutdown-timeout", "1s")
				.start();
			stopping.queues().send(OutboundMessage.to(this.queue, "x").maxAttempts(1));
			Waiting.await().until(() -> first.begun.size() == 1);
			server.pause();
			long start = System.nanoTime();
			stopping.close();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMinutes(1));
			Waiting.await().untilAsserted(() -> assertThat(first.reasons).containsExactly(CancellationReason.SHUTDOWN));
			server.resume();
			try (ListenerApplication other = ListenerApplication.on(client)
				.bean(new Single(second))
				.with("queue", this.queue)
				.with("lease", "2s")
				.start()) {
				Waiting.await().until(() -> second.begun.size() == 1);
				assertThat(other.container().isRunning()).isTrue();
			}
		}
		finally {
			client.shutdown();
			server.close();
		}
		assertThat(second.begun).singleElement().matches((info) -> info.attempt() == 1);
		assertThat(log.entriesWith("come back when their lease has run out", this.queue)).isNotEmpty();
	}

	private ListenerApplication.Builder application(Object listener) {
		return ListenerApplication.on(redis)
			.bean(listener)
			.with("queue", this.queue)
			.with("spring.lifecycle.timeout-per-shutdown-phase", PHASE.toSeconds() + "s");
	}

	private static void closeSoon(ListenerApplication application) {
		long start = System.nanoTime();
		application.close();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(PHASE.dividedBy(2));
	}

	/**
	 * What handlers do in a test: they begin, and wait until their tokens turn.
	 */
	static final class Work {

		final List<DeliveryInfo> begun = new CopyOnWriteArrayList<>();

		final BlockingQueue<CancellationReason> reasons = new LinkedBlockingQueue<>();

		final List<Throwable> errors = new CopyOnWriteArrayList<>();

		/**
		 * Completes when the handlers end; {@code null}: when their tokens turn.
		 */
		volatile CompletableFuture<Void> waits;

		/**
		 * Whether they stop before their end.
		 */
		volatile boolean stops;

		Work(boolean stops) {
			this.stops = stops;
		}

		/**
		 * Begins.
		 * @return completes with whether the handler is to stop
		 */
		CompletableFuture<Boolean> begin(DeliveryInfo info, CancellationToken token) {
			CompletableFuture<Void> turned = new CompletableFuture<>();
			token.onCancel((reason) -> {
				this.reasons.add(reason);
				turned.complete(null);
			});
			this.begun.add(info);
			CompletableFuture<Void> end = this.waits;
			if (end == null && !this.stops) {
				return CompletableFuture.completedFuture(false);
			}
			return ((end != null) ? end : turned).thenApply((nothing) -> this.stops);
		}

		boolean await(DeliveryInfo info, CancellationToken token) {
			return begin(info, token).orTimeout(60, TimeUnit.SECONDS).join();
		}

	}

	static final class Single {

		private final Work work;

		Single(Work work) {
			this.work = work;
		}

		@QueueListener(id = "single-${queue}", queues = "${queue}", concurrency = "1", leaseTime = "${lease:20s}")
		void handle(MessageDelivery delivery) {
			if (this.work.await(delivery.info(), delivery.cancellation())) {
				throw delivery.stopped();
			}
		}

	}

	/**
	 * The ways in which a handler can say that it stopped.
	 */
	static final class Shapes {

		private final Work work;

		Shapes(Work work) {
			this.work = work;
		}

		static List<String> names() {
			return Stream.of(Shapes.class.getDeclaredMethods())
				.filter((method) -> method.isAnnotationPresent(QueueListener.class))
				.map((method) -> method.getName())
				.toList();
		}

		@QueueListener(queues = "thrown-${queue}")
		void thrown(MessageDelivery delivery) {
			if (this.work.await(delivery.info(), delivery.cancellation())) {
				throw delivery.stopped();
			}
		}

		@QueueListener(queues = "caused-${queue}", noRetryFor = RuntimeException.class)
		void caused(MessageDelivery delivery) {
			if (this.work.await(delivery.info(), delivery.cancellation())) {
				throw new IllegalStateException("The page was not read", delivery.stopped());
			}
		}

		@QueueListener(queues = "token-${queue}")
		void token(DeliveryInfo info, CancellationToken token) {
			if (this.work.await(info, token)) {
				token.throwIfCancelled();
			}
		}

		@QueueListener(queues = "interrupted-${queue}")
		void interrupted(DeliveryInfo info, CancellationToken token) throws InterruptedException {
			if (this.work.await(info, token)) {
				throw new InterruptedException("The executor of the handler has closed");
			}
		}

		@QueueListener(queues = "result-${queue}")
		Object result(MessageDelivery delivery) {
			return this.work.await(delivery.info(), delivery.cancellation()) ? Paused.now() : "done";
		}

		@QueueListener(queues = "manual-${queue}", ackMode = AckMode.MANUAL)
		Object manual(MessageDelivery delivery, Acknowledgment acknowledgment) {
			if (this.work.await(delivery.info(), delivery.cancellation())) {
				return Paused.now();
			}
			acknowledgment.acknowledge();
			return "done";
		}

		@QueueListener(queues = "failed-${queue}")
		CompletableFuture<Void> failed(MessageDelivery delivery) {
			return this.work.begin(delivery.info(), delivery.cancellation()).thenAccept((stops) -> {
				if (stops) {
					throw delivery.stopped();
				}
			});
		}

		@QueueListener(queues = "future-${queue}")
		CompletableFuture<Object> future(MessageDelivery delivery) {
			return this.work.begin(delivery.info(), delivery.cancellation())
				.thenApply((stops) -> stops ? Paused.now() : "done");
		}

		@QueueListener(queues = "cancelled-${queue}")
		CompletableFuture<Object> cancelled(MessageDelivery delivery) {
			CompletableFuture<Object> result = new CompletableFuture<>();
			this.work.begin(delivery.info(), delivery.cancellation())
				.thenAccept((stops) -> assertThat(stops ? result.cancel(true) : result.complete("done")).isTrue());
			return result;
		}

		@QueueListener(queues = "error-${queue}")
		Mono<Object> error(MessageDelivery delivery) {
			return Mono.fromFuture(this.work.begin(delivery.info(), delivery.cancellation()))
				.flatMap((stops) -> stops ? Mono.error(delivery.stopped()) : Mono.just("done"));
		}

		@QueueListener(queues = "mono-${queue}")
		Mono<Object> mono(MessageDelivery delivery) {
			return Mono.fromFuture(this.work.begin(delivery.info(), delivery.cancellation()))
				.map((stops) -> stops ? Paused.now() : "done");
		}

	}

	static final class Batches {

		final List<String> begun = new CopyOnWriteArrayList<>();

		private final boolean stops;

		Batches(boolean stops) {
			this.stops = stops;
		}

		private void begin(String name, List<Message<String>> batch, CancellationToken token) {
			StringBuilder line = new StringBuilder(name);
			batch.forEach((message) -> line.append(' ')
				.append(message.getPayload())
				.append(message.getHeaders().get(QueueHeaders.ATTEMPT)));
			this.begun.add(line.toString());
			if (this.stops) {
				CompletableFuture<Void> turned = new CompletableFuture<>();
				token.onCancel((reason) -> turned.complete(null));
				turned.orTimeout(60, TimeUnit.SECONDS).join();
			}
		}

		@QueueListener(queues = "whole-${queue}", batchSize = "3", batchTimeout = "5s", concurrency = "1")
		void whole(List<Message<String>> batch, CancellationToken token) {
			begin("whole", batch, token);
			if (this.stops) {
				throw new MessageStoppedException();
			}
		}

		@QueueListener(queues = "future-${queue}", batchSize = "3", batchTimeout = "5s", concurrency = "1")
		CompletableFuture<Object> future(List<Message<String>> batch, CancellationToken token) {
			begin("future", batch, token);
			return CompletableFuture.completedFuture(this.stops ? Paused.now() : "done");
		}

		@QueueListener(queues = "parts-${queue}", batchSize = "3", batchTimeout = "5s", concurrency = "1")
		void parts(List<Message<String>> batch, CancellationToken token) {
			begin("parts", batch, token);
			if (this.stops) {
				throw new BatchFailedException(Map.of(1, new MessageStoppedException()));
			}
		}

		@QueueListener(queues = "manual-${queue}", batchSize = "3", batchTimeout = "5s", concurrency = "1",
				ackMode = AckMode.MANUAL)
		Object manual(List<Message<String>> batch, CancellationToken token, Acknowledgment acknowledgment) {
			begin("manual", batch, token);
			if (!this.stops) {
				acknowledgment.acknowledge();
				return "done";
			}
			((Acknowledgment) batch.get(0).getHeaders().get(QueueHeaders.ACKNOWLEDGMENT)).acknowledge();
			return Paused.now();
		}

	}

	@QueueListener(queues = "parts-${queue}", batchSize = "3", batchTimeout = "100ms", concurrency = "1")
	static final class PausedBatches {

		final List<List<String>> begun = new CopyOnWriteArrayList<>();

		final List<Integer> stopped = new CopyOnWriteArrayList<>();

		volatile boolean ends;

		@QueueListener(queues = "paused-${queue}", batchSize = "3", batchTimeout = "5s", concurrency = "1")
		Object paused(List<String> batch) {
			this.begun.add(List.copyOf(batch));
			return (this.begun.size() == 1) ? Paused.after(Duration.ofMillis(100)) : "done";
		}

		@QueueHandler("stops")
		Object stops(List<String> part) {
			this.stopped.add(part.size());
			return this.ends ? "done" : Paused.after(Duration.ofMillis(100));
		}

		@QueueHandler("fails")
		void fails(List<String> part) {
			throw new IllegalStateException("It fails");
		}

	}

	static final class Keyed {

		private final Work work;

		Keyed(Work work) {
			this.work = work;
		}

		@QueueListener(queues = "${queue}", concurrency = "3", leaseTime = "60s", idempotencyKey = "#{payload}")
		void handle(String payload, MessageDelivery delivery) {
			if (this.work.await(delivery.info(), delivery.cancellation())) {
				throw delivery.stopped();
			}
		}

	}

	static final class Ticks {

		final List<RecurringTick> handled = new CopyOnWriteArrayList<>();

		final List<Integer> attempts = new CopyOnWriteArrayList<>();

		private final boolean stops;

		Ticks(boolean stops) {
			this.stops = stops;
		}

		@QueueListener(queues = "${queue}")
		Object handle(RecurringTick tick, MessageDelivery delivery) {
			CompletableFuture<Object> turned = new CompletableFuture<>();
			delivery.cancellation().onCancel((reason) -> turned.complete(Paused.now()));
			this.handled.add(tick);
			this.attempts.add(delivery.info().attempt());
			return this.stops ? turned.orTimeout(60, TimeUnit.SECONDS) : "done";
		}

	}

	static final class Summaries {

		final BlockingQueue<BundleSummary> all = new LinkedBlockingQueue<>();

		@QueueListener("${queue}")
		void handle(BundleSummary summary) {
			this.all.add(summary);
		}

	}

	static final class AtMostOnce {

		final List<String> begun = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", ackMode = AckMode.BEFORE_HANDLING)
		CompletableFuture<Object> handle(String payload, CancellationToken token) {
			CompletableFuture<Object> turned = new CompletableFuture<>();
			token.onCancel((reason) -> turned.completeExceptionally(new MessageStoppedException()));
			this.begun.add(payload);
			return turned;
		}

	}

	static final class Sliced {

		final List<Long> times = new CopyOnWriteArrayList<>();

		@QueueListener("${queue}")
		Object handle(@Header(QueueHeaders.ATTEMPT) int attempt) {
			assertThat(attempt).isEqualTo(1);
			this.times.add(System.nanoTime());
			return (this.times.size() < 3) ? Paused.after(Duration.ofMillis(100)) : "done";
		}

	}

	static final class Lost implements MessageRetryListener {

		final List<Throwable> failures = new CopyOnWriteArrayList<>();

		final List<DeliveryInfo> retried = new CopyOnWriteArrayList<>();

		@Override
		public void onRetry(DeliveryInfo info, Throwable failure, Duration delay) {
			this.retried.add(info);
		}

		@Override
		public void onLost(DeliveryInfo info, Throwable failure) {
			this.failures.add(failure);
		}

	}

}
