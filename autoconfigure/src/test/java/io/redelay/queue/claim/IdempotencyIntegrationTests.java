package io.redelay.queue.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import io.redelay.delivery.GiveBackMessage;
import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.batch.BatchFailedException;
import io.redelay.queue.listener.DeliveryInterceptor;
import io.redelay.queue.listener.DuplicateListener;
import io.redelay.queue.listener.GlobalInterceptor;
import io.redelay.queue.listener.QueueErrorHandler;
import io.redelay.queue.observation.MicrometerQueueListener;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.client.codec.StringCodec;

import org.springframework.messaging.Message;
import org.springframework.messaging.support.MessageBuilder;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for handlers that succeed once for each key.
 */
class IdempotencyIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsSentThreeTimesIsHandledOnceOverTwoInstances() {
		Orders handler = new Orders();
		Duplicates duplicates = new Duplicates();
		try (ListenerApplication first = start(handler, duplicates);
				ListenerApplication second = start(handler, duplicates)) {
			List<OutboundMessage> messages = IntStream.range(0, 60)
				.mapToObj((i) -> OutboundMessage.to(this.queue, new Order("o" + i % 20, i)))
				.toList();
			first.queues().sendAll(messages);
			this.state.awaitDrained();
			assertThat(handler.successes).hasSize(20).allSatisfy((key, runs) -> assertThat(runs).hasValue(1));
			assertThat(handler.begun).hasValue(20);
			assertThat(duplicates.done).as("notified of each duplicate").hasSize(40);
			second.queues().send(this.queue, new Order("o7", 0));
			this.state.awaitDrained();
			assertThat(handler.begun).hasValue(20);
		}
		assertExpire("idempotent");
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aDuplicateOfARunningOneWaitsUncounted() throws Exception {
		Orders handler = new Orders();
		CountDownLatch end = new CountDownLatch(1);
		handler.handling = (order) -> await(end);
		Duplicates duplicates = new Duplicates();
		try (ListenerApplication first = start(handler, duplicates)) {
			first.queues().send(this.queue, new Order("one", 1));
			Awaitility.await().until(() -> handler.begun.get() == 1);
			Orders other = new Orders();
			try (ListenerApplication second = start(other, duplicates)) {
				first.container().pause();
				second.queues().send(OutboundMessage.to(this.queue, new Order("one", 2)).maxAttempts(1));
				second.queues().send(this.queue, new Order("two", 3));
				Awaitility.await().until(() -> duplicates.postponed.size() >= 3);
				assertThat(other.successes).as("others are handled meanwhile").containsOnlyKeys("two");
				end.countDown();
				this.state.awaitDrained();
				assertThat(other.successes).containsOnlyKeys("two");
				assertThat(handler.begun).hasValue(1);
				assertThat(this.state.dead()).isEmpty();
				assertThat(duplicates.done).hasSize(1);
				assertThat(duplicates.done.get(0).attempt()).as("waiting is no attempt").isEqualTo(1);
				assertThat(duplicates.delays).allMatch((delay) -> delay.compareTo(Duration.ofMillis(100)) >= 0);
			}
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFailedRunFreesTheKey() {
		Orders handler = new Orders();
		AtomicInteger calls = new AtomicInteger();
		handler.handling = (order) -> {
			if (calls.incrementAndGet() < 3) {
				throw new IllegalStateException("not yet");
			}
			return null;
		};
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, new Order("one", 1));
			this.state.awaitDrained();
			assertThat(handler.successes).containsOnlyKeys("one");
			assertThat(handler.begun).hasValue(3);
			application.queues().send(this.queue, new Order("one", 2));
			this.state.awaitDrained();
			assertThat(handler.begun).hasValue(3);
			assertThat(this.state.dead()).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aDeadMessageBlocksNoKey() {
		Orders handler = new Orders();
		handler.handling = (order) -> {
			if (order.number() == 1) {
				throw new RejectMessageException("no");
			}
			return null;
		};
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, new Order("one", 1));
			this.state.awaitDead();
			application.queues().send(this.queue, new Order("one", 2));
			this.state.awaitDrained();
			assertThat(handler.successes).containsOnlyKeys("one");
			assertThat(running()).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMessageThatIsGivenBackFreesTheKey() {
		Orders handler = new Orders();
		handler.handling = (order) -> {
			if (order.number() == 1) {
				throw new NotNow();
			}
			return null;
		};
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, new Order("one", 1));
			Awaitility.await().until(() -> this.state.scheduled() == 1);
			application.queues().send(this.queue, new Order("one", 2));
			Awaitility.await().until(() -> handler.successes.containsKey("one"));
			Awaitility.await()
				.untilAsserted(() -> assertThat(this.state.messages()).as("the one that was given back").hasSize(1));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aKeyIsForgottenAfterItsWindow() {
		Orders handler = new Orders();
		try (ListenerApplication application = builder(handler).with("window", "300ms").start()) {
			Awaitility.await().untilAsserted(() -> {
				application.queues().send(this.queue, new Order("one", 1));
				assertThat(handler.begun.get()).isGreaterThan(1);
			});
			this.state.awaitDrained();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theConfigurationOfAQueueGivesAKeyToo() {
		Plain handler = new Plain();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("test.queue", this.queue)
			.with("redelay.queue.queues." + this.queue + ".idempotency-key", "#{payload.orderId}-#{headers['shop']}")
			.with("redelay.queue.queues." + this.queue + ".idempotency-window", "1h")
			.start()) {
			for (String shop : List.of("a", "b", "a")) {
				application.queues().send(OutboundMessage.to(this.queue, new Order("one", 1)).header("shop", shop));
			}
			this.state.awaitDrained();
			assertThat(handler.handled).hasValue(2);
			assertThat(done()).containsExactlyInAnyOrder("=one-a", "=one-b");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theKeysOfAQueueHoldOverItsPartitions() {
		Orders handler = new Orders();
		try (ListenerApplication application = builder(handler)
			.with("redelay.queue.queues." + this.queue + ".partitions", "3")
			.start()) {
			for (int i = 0; i < 30; i++) {
				application.queues().send(this.queue, new Order("o" + i % 5, i));
			}
			QueueAdmin admin = application.bean(QueueAdmin.class);
			Awaitility.await().until(() -> {
				QueueInfo info = admin.queues().info(this.queue);
				return info.scheduled() + info.ready() + info.inFlight() == 0;
			});
			assertThat(handler.begun).hasValue(5);
			assertThat(done()).hasSize(5);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatAPayloadHoldsIsNotEvaluatedAndALongKeyIsHashed() {
		Orders handler = new Orders();
		try (ListenerApplication application = start(handler)) {
			String evil = "#{T(java.lang.System).exit(1)}";
			application.queues().send(this.queue, new Order(evil, 1));
			application.queues().send(this.queue, new Order("x".repeat(100_000), 2));
			application.queues().send(this.queue, new Order("x".repeat(100_000), 3));
			application.queues().send(this.queue, new Order("x".repeat(99_999), 4));
			this.state.awaitDrained();
			assertThat(handler.begun).hasValue(3);
			assertThat(done()).hasSize(3).contains("=" + evil).filteredOn((key) -> key.startsWith("#")).hasSize(2);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMessageWithoutAKeyIsDeadAtOnceAndTheNextIsHandled() {
		Orders handler = new Orders();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, new Order(null, 1));
			application.queues().send(this.queue, new Order(" ", 2));
			application.queues().send(this.queue, new Order("three", 3));
			Awaitility.await().until(() -> this.state.dead().size() == 2);
			Awaitility.await().until(() -> handler.successes.containsKey("three"));
			assertThat(handler.begun).hasValue(1);
			assertThat(this.state.dead()).allSatisfy((dead) -> {
				assertThat(dead.reason()).isEqualTo("CONVERSION_FAILED");
				assertThat(dead.message()).contains("idempotencyKey", "#{payload.orderId}");
			});
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatCannotBeConvertedIsDeadAndTakesNoKey() {
		Orders handler = new Orders();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, List.of(1, 2));
			assertThat(this.state.awaitDead().reason()).isEqualTo("CONVERSION_FAILED");
			assertThat(handler.begun).hasValue(0);
			assertThat(running()).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anOptionalPayloadHasTheKeyOfWhatItHolds() {
		Maybe handler = new Maybe();
		try (ListenerApplication application = builder(handler).start()) {
			application.queues().send(this.queue, new Order("one", 1));
			application.queues().send(this.queue, new Order("one", 2));
			this.state.awaitDrained();
			assertThat(handler.handled).hasValue(1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void duplicatesAreTakenOutOfABatch() {
		Batches handler = new Batches();
		try (ListenerApplication application = builder(handler).with("timeout", "2s").start()) {
			application.queues()
				.sendAll(Stream.of("a", "b", "a", "c", "b", "fails")
					.map((key) -> OutboundMessage.to(this.queue, new Order(key, 1)))
					.toList());
			this.state.awaitDrained();
			assertThat(handler.batches.get(0)).extracting(Order::orderId).containsExactly("a", "b", "c", "fails");
			assertThat(handler.successes).containsOnlyKeys("a", "b", "c", "fails")
				.allSatisfy((key, runs) -> assertThat(runs).hasValue(1));
			assertThat(handler.batches).as("the failed one alone, and no empty batch").hasSize(2);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void afterAFailedBatchEachRunKeepsItsKey() {
		Batches handler = new Batches();
		handler.failsWhole = true;
		try (ListenerApplication application = builder(handler).with("timeout", "2s").start()) {
			application.queues()
				.sendAll(Stream.of("a", "b", "c", "d", "e", "a")
					.map((key) -> OutboundMessage.to(this.queue, new Order(key, 1)))
					.toList());
			this.state.awaitDrained();
			assertThat(handler.successes).containsOnlyKeys("a", "b", "c", "d", "e")
				.allSatisfy((key, runs) -> assertThat(runs).hasValue(1));
			assertThat(running()).isEmpty();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aManualAcknowledgementIsTheSuccess() {
		Manual handler = new Manual();
		Duplicates duplicates = new Duplicates();
		try (ListenerApplication application = builder(handler).bean(duplicates).start()) {
			application.queues().send(this.queue, new Order("one", 1));
			Awaitility.await().until(() -> handler.acknowledgments.size() == 1);
			application.queues().send(this.queue, new Order("one", 2));
			Awaitility.await().until(() -> !duplicates.postponed.isEmpty());
			handler.acknowledgments.get(0).nack();
			Awaitility.await().until(() -> handler.acknowledgments.size() == 2);
			handler.acknowledgments.get(1).acknowledge();
			this.state.awaitDrained();
			assertThat(handler.acknowledgments).as("the other one was a duplicate").hasSize(2);
			assertThat(duplicates.done).hasSize(1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFutureIsAwaited() {
		Futures handler = new Futures();
		Duplicates duplicates = new Duplicates();
		try (ListenerApplication application = builder(handler).bean(duplicates).start()) {
			application.queues().send(this.queue, new Order("one", 1));
			Awaitility.await().until(() -> handler.results.size() == 1);
			application.queues().send(this.queue, new Order("one", 2));
			Awaitility.await().until(() -> !duplicates.postponed.isEmpty());
			handler.results.get(0).completeExceptionally(new IllegalStateException("failed"));
			Awaitility.await().until(() -> handler.results.size() == 2);
			handler.results.get(1).complete(null);
			this.state.awaitDrained();
			assertThat(handler.results).hasSize(2);
			assertThat(duplicates.done).hasSize(1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aHandlingThatTakesTooLongFreesTheKey() {
		Orders handler = new Orders();
		AtomicInteger calls = new AtomicInteger();
		handler.handling = (order) -> (calls.incrementAndGet() == 1) ? await(new CountDownLatch(1)) : null;
		try (ListenerApplication application = builder(handler)
			.with("redelay.queue.queues." + this.queue + ".max-handling-time", "1s")
			.start()) {
			application.queues().send(this.queue, new Order("one", 1));
			this.state.awaitDrained();
			assertThat(handler.begun).hasValue(2);
			assertThat(handler.successes).containsOnlyKeys("one");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatAnErrorHandlerDealtWithIsDone() {
		Orders handler = new Orders();
		handler.handling = (order) -> {
			throw new IllegalStateException("always");
		};
		QueueErrorHandler recovers = (message, failure) -> {
		};
		try (ListenerApplication application = builder(handler).bean(QueueErrorHandler.DEFAULT_BEAN_NAME, recovers)
			.start()) {
			application.queues().send(this.queue, new Order("one", 1));
			this.state.awaitDrained();
			application.queues().send(this.queue, new Order("one", 2));
			this.state.awaitDrained();
			assertThat(handler.begun).hasValue(1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theKeyIsThatOfTheMessageWhichInterceptorsLetThrough() {
		Orders handler = new Orders();
		Renaming interceptor = new Renaming();
		try (ListenerApplication application = builder(handler).bean("renaming", interceptor).start()) {
			application.queues().send(this.queue, new Order("one", 1));
			application.queues().send(this.queue, new Order("two", 2));
			this.state.awaitDrained();
			assertThat(handler.successes).containsOnlyKeys("same");
			assertThat(handler.begun).hasValue(1);
			assertThat(interceptor.after.get()).as("notified of the end of duplicates, too")
				.isGreaterThanOrEqualTo(2)
				.isEqualTo(interceptor.before.get());
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aShutdownThatGivesBackFreesTheKey() {
		Orders handler = new Orders();
		CountDownLatch end = new CountDownLatch(1);
		handler.handling = (order) -> await(end);
		ListenerApplication first = builder(handler).with("spring.lifecycle.timeout-per-shutdown-phase", "500ms")
			.with("lease", "10m")
			.start();
		first.queues().send(this.queue, new Order("one", 1));
		Awaitility.await().until(() -> handler.begun.get() == 1);
		first.close();
		Orders other = new Orders();
		try (ListenerApplication second = builder(other).with("lease", "10m").start()) {
			Awaitility.await().until(() -> other.successes.containsKey("one"));
			this.state.awaitDrained();
			assertThat(second.container().isRunning()).isTrue();
		}
		end.countDown();
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void aLongRunKeepsItsKeyBeyondTheLease() {
		Orders handler = new Orders();
		CountDownLatch end = new CountDownLatch(1);
		handler.handling = (order) -> await(end);
		Duplicates duplicates = new Duplicates();
		Orders other = new Orders();
		try (ListenerApplication first = builder(handler).with("lease", "4s").start()) {
			first.queues().send(this.queue, new Order("one", 1));
			Awaitility.await().until(() -> handler.begun.get() == 1);
			// Each of its requests would renew the lease, those for duplicates, too.
			first.container().pause();
			try (ListenerApplication second = builder(other).with("lease", "4s").bean(duplicates).start()) {
				second.queues().send(this.queue, new Order("one", 2));
				long start = System.nanoTime();
				Awaitility.await()
					.until(() -> System.nanoTime() - start > TimeUnit.SECONDS.toNanos(10)
							&& duplicates.postponed.size() > 5);
				assertThat(other.begun).hasValue(0);
				end.countDown();
				this.state.awaitDrained();
				assertThat(other.begun).hasValue(0);
			}
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void deletingTheQueueDeletesItsKeys() {
		Orders handler = new Orders();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, new Order("one", 1));
			this.state.awaitDrained();
			assertThat(done()).containsExactly("=one");
			application.container().stop(Duration.ofSeconds(10)).join();
			assertExpire("idempotent:running");
			assertExpire("idempotent:owners");
			application.bean(QueueAdmin.class).control().delete(this.queue);
			assertThat(redis.client()
				.getKeys()
				.countExists(key("idempotent"), key("idempotent:running"), key("idempotent:owners"))).isZero();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void duplicatesAreCountedAndObserved() {
		Orders handler = new Orders();
		MeterRegistry meters = new SimpleMeterRegistry();
		ObservationRegistry observations = ObservationRegistry.create();
		observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
		try (ListenerApplication application = builder(handler).bean(new MicrometerQueueListener(meters))
			.bean("observations", observations)
			.start()) {
			application.queues().send(this.queue, new Order("one", 1));
			this.state.awaitDrained();
			application.queues().send(this.queue, new Order("one", 2));
			this.state.awaitDrained();
			Awaitility.await()
				.untilAsserted(() -> assertThat(meters.get("redelay.queue.duplicates")
					.tags("messaging.destination.name", this.queue, "outcome", "duplicate")
					.counter()
					.count()).isEqualTo(1));
			for (String outcome : List.of("handled", "duplicate")) {
				Awaitility.await()
					.untilAsserted(() -> assertThat(
							meters.get("messaging.process.duration").tags("redelay.outcome", outcome).timer().count())
						.isEqualTo(1));
			}
		}
	}

	private ListenerApplication start(Object handler, Object... others) {
		ListenerApplication.Builder builder = builder(handler);
		for (Object other : others) {
			builder.bean(other);
		}
		return builder.start();
	}

	private ListenerApplication.Builder builder(Object handler) {
		return ListenerApplication.on(redis).bean(handler).with("test.queue", this.queue);
	}

	private String key(String name) {
		return "redelay:{" + this.queue + "}:" + name;
	}

	private Set<String> running() {
		Set<String> fields = redis.client()
			.<String, String>getMap(key("idempotent:running"), StringCodec.INSTANCE)
			.readAllKeySet();
		fields.removeIf((field) -> field.startsWith("@"));
		return fields;
	}

	private List<String> done() {
		return new ArrayList<>(
				redis.client().<String>getScoredSortedSet(key("idempotent"), StringCodec.INSTANCE).readAll());
	}

	private void assertExpire(String name) {
		assertThat(redis.client().getBucket(key(name)).remainTimeToLive()).as(name).isNotEqualTo(-1);
	}

	private static Void await(CountDownLatch latch) {
		try {
			latch.await();
			return null;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	record Order(String orderId, int number) {
	}

	static class Duplicates implements DuplicateListener {

		private final List<DeliveryInfo> done = new CopyOnWriteArrayList<>();

		private final List<DeliveryInfo> postponed = new CopyOnWriteArrayList<>();

		private final List<Duration> delays = new CopyOnWriteArrayList<>();

		@Override
		public void onDuplicate(DeliveryInfo delivery) {
			this.done.add(delivery);
		}

		@Override
		public void onPostponed(DeliveryInfo delivery, Duration delay) {
			this.postponed.add(delivery);
			this.delays.add(delay);
		}

	}

	static class Orders {

		private final AtomicInteger begun = new AtomicInteger();

		private final Map<String, AtomicInteger> successes = new ConcurrentHashMap<>();

		private volatile Function<Order, Void> handling = (order) -> null;

		@QueueListener(queues = "${test.queue}", idempotencyKey = "#{payload.orderId}",
				idempotencyWindow = "${window:1h}", leaseTime = "${lease:30s}", concurrency = "4")
		void handle(Order order) {
			this.begun.incrementAndGet();
			this.handling.apply(order);
			this.successes.computeIfAbsent(order.orderId(), (key) -> new AtomicInteger()).incrementAndGet();
		}

	}

	static class Plain {

		private final AtomicInteger handled = new AtomicInteger();

		@QueueListener("${test.queue}")
		void handle(Order order) {
			this.handled.incrementAndGet();
		}

	}

	static class Maybe {

		private final AtomicInteger handled = new AtomicInteger();

		@QueueListener(queues = "${test.queue}", idempotencyKey = "#{payload.orderId}")
		void handle(Optional<Order> order) {
			this.handled.incrementAndGet();
		}

	}

	static class Batches {

		private final List<List<Order>> batches = new CopyOnWriteArrayList<>();

		private final Map<String, AtomicInteger> successes = new ConcurrentHashMap<>();

		private volatile boolean failsWhole;

		@QueueListener(queues = "${test.queue}", idempotencyKey = "#{payload.orderId}", batchSize = "6",
				batchTimeout = "${timeout}", concurrency = "1")
		void handle(List<Order> orders) {
			this.batches.add(orders);
			if (this.failsWhole && orders.size() > 1) {
				throw new IllegalStateException("as a whole");
			}
			int failed = this.failsWhole ? -1 : orders.stream().map(Order::orderId).toList().indexOf("fails");
			boolean fails = failed >= 0 && orders.size() > 1;
			for (int i = 0; i < orders.size(); i++) {
				if (!fails || i != failed) {
					this.successes.computeIfAbsent(orders.get(i).orderId(), (key) -> new AtomicInteger())
						.incrementAndGet();
				}
			}
			if (fails) {
				throw new BatchFailedException(Map.of(failed, new IllegalStateException("one")));
			}
		}

	}

	static class Manual {

		private final List<Acknowledgment> acknowledgments = Collections.synchronizedList(new ArrayList<>());

		@QueueListener(queues = "${test.queue}", idempotencyKey = "#{payload.orderId}", ackMode = AckMode.MANUAL)
		void handle(Order order, Acknowledgment acknowledgment) {
			this.acknowledgments.add(acknowledgment);
		}

	}

	static class Futures {

		private final List<CompletableFuture<Void>> results = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${test.queue}", idempotencyKey = "#{payload.orderId}")
		CompletableFuture<Void> handle(Order order) {
			CompletableFuture<Void> result = new CompletableFuture<>();
			this.results.add(result);
			return result;
		}

	}

	static class NotNow extends RuntimeException implements GiveBackMessage {

		@Override
		public Duration getGiveBackDelay() {
			return Duration.ofMinutes(10);
		}

	}

	@GlobalInterceptor
	static class Renaming implements DeliveryInterceptor {

		private final AtomicInteger before = new AtomicInteger();

		private final AtomicInteger after = new AtomicInteger();

		@Override
		public Message<?> beforeHandling(Message<?> message) {
			this.before.incrementAndGet();
			return MessageBuilder.createMessage(new Order("same", 0), message.getHeaders());
		}

		@Override
		public void afterHandling(Message<?> message, Throwable failure) {
			this.after.incrementAndGet();
		}

	}

}
