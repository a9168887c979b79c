package io.redelay.queue.config;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.lock.MyLock;
import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PayloadType;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.batch.BatchFailedException;
import io.redelay.queue.batch.BatchResult;
import io.redelay.queue.listener.DeliveryInterceptor;
import io.redelay.queue.listener.GlobalInterceptor;
import io.redelay.queue.listener.MessageRetryListener;
import io.redelay.queue.listener.QueueHandler;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RLock;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for listeners of several methods, of which the payload type of a message chooses
 * one.
 */
class QueueHandlerIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private final List<String> reported = new CopyOnWriteArrayList<>();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void eachMessageGoesToTheMethodOfItsPayloadType() {
		Orders orders = new Orders();
		try (ListenerApplication application = start(orders)) {
			application.queues().send(this.queue, new Placed("1", 7));
			application.queues().send(this.queue, new Cancelled("2"));
			application.queues()
				.send(OutboundMessage.to(this.queue, new Elsewhere("3", "late")).payloadType("order-cancelled"));
			this.state.awaitDrained();
			assertThat(orders.handled).containsExactlyInAnyOrder("placed 1 of 7", "cancelled 2", "cancelled 3");
			assertThat(application.registry().getContainers()).extracting((container) -> container.getId())
				.containsExactly("Orders");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatNoMethodHandlesIsDeadWithItsReason() {
		try (ListenerApplication application = start(new Orders())) {
			application.queues().send(OutboundMessage.to(this.queue, "x").payloadType("order-paid"));
			QueueState.Dead dead = this.state.awaitDead();
			assertThat(dead.reason()).isEqualTo("CONVERSION_FAILED");
			assertThat(dead.message()).contains("listener 'Orders'", "'order-paid'",
					"[order-cancelled, order-placed, order-shipped]");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatHasNoPayloadTypeIsDeadUnlessAMethodHandlesAllOthers() {
		try (ListenerApplication application = start(new Orders())) {
			application.queues().send(this.queue, new Elsewhere("1", ""));
			assertThat(this.state.awaitDead().message()).contains("messages without a payload type");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theDefaultMethodHandlesAllOthers() {
		WithDefault handler = new WithDefault();
		try (ListenerApplication application = start(handler)) {
			application.queues().send(this.queue, new Placed("1", 7));
			application.queues().send(this.queue, "text");
			application.queues().send(OutboundMessage.to(this.queue, "x").payloadType("order-paid"));
			this.state.awaitDrained();
			assertThat(handler.handled).containsExactlyInAnyOrder("placed 1", "other null text", "other order-paid x");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBatchIsDividedAmongTheMethods() {
		Batches batches = new Batches();
		try (ListenerApplication application = start(batches)) {
			application.queues()
				.sendAll(Stream.of(new Placed("1", 1), new Cancelled("2"), new Placed("3", 1))
					.map((payload) -> OutboundMessage.to(this.queue, payload))
					.toList());
			this.state.awaitDrained();
			assertThat(batches.handled).containsExactlyInAnyOrder("placed [1, 3]", "cancelled [2]");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void thePartOfABatchThatFailsKeepsNoOtherPartFromItsEnd() {
		FailingBatches batches = new FailingBatches();
		try (ListenerApplication application = start(batches)) {
			application.queues()
				.sendAll(Stream.of(new Placed("1", 1), new Cancelled("2"), new Placed("3", 1), "nobody's")
					.map((payload) -> OutboundMessage.to(this.queue, payload).maxAttempts(2))
					.toList());
			Awaitility.await()
				.untilAsserted(() -> assertThat(this.state.dead()).extracting(QueueState.Dead::reason)
					.containsExactlyInAnyOrder("FAILED", "FAILED", "CONVERSION_FAILED"));
			Awaitility.await().untilAsserted(() -> assertThat(this.state.held()).isZero());
			assertThat(batches.cancelled).containsExactly("2");
			assertThat(batches.placed).startsWith("[1, 3]").contains("[1]", "[3]");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatOneMethodSaysOfItsMessagesSettlesNoneOfAnother() {
		ManualBatches batches = new ManualBatches(() -> new BatchFailedException(0, new IllegalStateException("no")));
		try (ListenerApplication application = start(batches)) {
			sendThree(application);
			assertThat(this.state.awaitDead().message()).contains("no");
			Awaitility.await().until(() -> this.state.held() == 1);
			Awaitility.await().during(Duration.ofMillis(100)).until(() -> this.state.messages().size() == 1);
			batches.cancelled.get(0).acknowledge();
			this.state.awaitDrained();
			assertThat(batches.placed).containsExactly("[1, 3]");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theFailureOfOneMethodHasNothingOfAnotherHandledAgain() {
		ManualBatches batches = new ManualBatches(() -> new IllegalStateException("no"));
		try (ListenerApplication application = start(batches)) {
			sendThree(application);
			Awaitility.await().until(() -> this.state.dead().size() == 2);
			Awaitility.await().until(() -> this.state.held() == 1);
			assertThat(batches.placed).containsExactlyInAnyOrder("[1, 3]", "[1]", "[3]");
			assertThat(batches.cancelled).hasSize(1);
			batches.cancelled.get(0).acknowledge();
			this.state.awaitDrained();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatOneMethodNamesIsNotHandledAgainWhenAnotherFails() {
		NamingAndFailing batches = new NamingAndFailing();
		try (ListenerApplication application = start(batches)) {
			application.queues()
				.sendAll(Stream.of(new Placed("1", 1), new Cancelled("2"), new Placed("3", 1), new Cancelled("4"))
					.map((payload) -> OutboundMessage.to(this.queue, payload).maxAttempts(1))
					.toList());
			List<QueueState.Dead> dead = Awaitility.await().until(this.state::dead, (all) -> all.size() == 3);
			this.state.awaitDrained();
			assertThat(dead).extracting((each) -> each.envelope().get("payload").get("id").asString() + each.reason())
				.containsExactlyInAnyOrder("1REJECTED", "2FAILED", "4FAILED");
			assertThat(batches.handled).containsExactlyInAnyOrder("placed [1, 3]", "cancelled [2, 4]", "cancelled [2]",
					"cancelled [4]");
			assertThat(this.reported).contains("1 not", "3 null", "2 no", "4 no").doesNotContain("3 no", "1 no");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void ofWhatWasAcknowledgedBeforeOnlyTheMessagesOfTheMethodThatFailedAreLost() {
		AtMostOnce batches = new AtMostOnce();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(batches)
			.bean((MessageRetryListenerOfLost) (delivery, failure) -> this.reported.add("lost " + delivery.id()))
			.with("queue", this.queue)
			.start()) {
			application.queues()
				.sendAll(List.of(OutboundMessage.to(this.queue, new Placed("1", 1)).id("placed"),
						OutboundMessage.to(this.queue, new Cancelled("2")).id("cancelled")));
			Awaitility.await().until(() -> !this.reported.isEmpty());
			this.state.awaitDrained();
			assertThat(this.reported).containsExactly("lost placed");
		}
	}

	private void sendThree(ListenerApplication application) {
		application.queues()
			.sendAll(Stream.of(new Placed("1", 1), new Cancelled("2"), new Placed("3", 1))
				.map((payload) -> OutboundMessage.to(this.queue, payload).maxAttempts(1))
				.toList());
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aMethodIsCalledThroughTheProxyOfItsBean() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.beans(Locking.class)
			.bean("locked", new Locked())
			.with("queue", this.queue)
			.start()) {
			Locked locked = application.bean(Locked.class);
			RLock lock = redis.client().getLock("redelay:lock:{" + this.queue + "-1}");
			application.queues().send(this.queue, new Placed(this.queue + "-1", 1));
			this.state.awaitDrained();
			assertThat(locked.handled()).containsExactly("locked " + this.queue + "-1");
			assertThat(lock.isLocked()).isFalse();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aPayloadIsValidatedForItsMethod() {
		try (ListenerApplication application = start(new Validating())) {
			application.queues().send(this.queue, new Placed(" ", 1));
			QueueState.Dead dead = this.state.awaitDead();
			assertThat(dead.reason()).isEqualTo("CONVERSION_FAILED");
			assertThat(dead.message()).contains("'id'");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void futuresAndAcknowledgementsAreAwaitedAsOfOneMethod() {
		Manual manual = new Manual();
		try (ListenerApplication application = start(manual)) {
			application.queues().send(this.queue, new Placed("1", 1));
			Awaitility.await().untilAsserted(() -> assertThat(manual.waiting).hasSize(1));
			assertThat(this.state.held()).isEqualTo(1);
			manual.waiting.get(0).acknowledge();
			this.state.awaitDrained();
		}
	}

	private ListenerApplication start(Object handler) {
		return ListenerApplication.on(redis)
			.bean(handler)
			.bean(new Watching(this.reported))
			.with("queue", this.queue)
			.start();
	}

	/**
	 * Reports messages that are lost.
	 */
	@FunctionalInterface
	interface MessageRetryListenerOfLost extends MessageRetryListener {

		@Override
		void onLost(DeliveryInfo delivery, Throwable failure);

	}

	@GlobalInterceptor
	record Watching(List<String> reported) implements DeliveryInterceptor {

		@Override
		public void afterHandling(Message<?> message, @Nullable Throwable failure) {
			JsonNode payload = JsonMapper.shared().readTree((byte[]) message.getPayload());
			this.reported.add(payload.path("id").asString() + " " + ((failure != null) ? failure.getMessage() : null));
		}

	}

	@PayloadType("order-placed")
	record Placed(@NotBlank String id, int items) {

	}

	@PayloadType("order-cancelled")
	record Cancelled(String id) {

	}

	record Elsewhere(String id, String reason) {

	}

	@QueueListener("${queue}")
	static class Orders {

		final List<String> handled = new CopyOnWriteArrayList<>();

		@QueueHandler
		void placed(Placed order) {
			this.handled.add("placed " + order.id() + " of " + order.items());
		}

		@QueueHandler
		CompletableFuture<Void> cancelled(Message<Cancelled> order) {
			return CompletableFuture.runAsync(() -> this.handled.add("cancelled " + order.getPayload().id()));
		}

		@QueueHandler("order-shipped")
		void shipped(String payload) {
			this.handled.add("shipped " + payload);
		}

	}

	@QueueListener("${queue}")
	static class WithDefault {

		final List<String> handled = new CopyOnWriteArrayList<>();

		@QueueHandler
		void placed(Placed order) {
			this.handled.add("placed " + order.id());
		}

		@QueueHandler(isDefault = true)
		void other(String payload, @Header(name = QueueHeaders.PAYLOAD_TYPE, required = false) String type) {
			this.handled.add("other " + type + " " + payload);
		}

	}

	@QueueListener(queues = "${queue}", concurrency = "1", batchSize = "3", batchTimeout = "10s")
	static class Batches {

		final List<String> handled = new CopyOnWriteArrayList<>();

		@QueueHandler
		void placed(List<Placed> orders) {
			this.handled.add("placed " + orders.stream().map(Placed::id).toList());
		}

		@QueueHandler
		CompletableFuture<Void> cancelled(List<Cancelled> orders) {
			return CompletableFuture
				.runAsync(() -> this.handled.add("cancelled " + orders.stream().map(Cancelled::id).toList()));
		}

	}

	@QueueListener(queues = "${queue}", concurrency = "1", batchSize = "4", batchTimeout = "10s")
	static class FailingBatches {

		final List<String> placed = new CopyOnWriteArrayList<>();

		final List<String> cancelled = new CopyOnWriteArrayList<>();

		@QueueHandler
		void placed(List<Placed> orders) {
			this.placed.add(orders.stream().map(Placed::id).toList().toString());
			throw new IllegalStateException("no");
		}

		@QueueHandler
		CompletableFuture<Void> cancelled(List<Cancelled> orders) {
			return CompletableFuture.runAsync(() -> orders.forEach((order) -> this.cancelled.add(order.id())));
		}

	}

	@QueueListener(queues = "${queue}", concurrency = "2", batchSize = "3", batchTimeout = "10s",
			ackMode = AckMode.MANUAL)
	static class ManualBatches {

		final List<String> placed = new CopyOnWriteArrayList<>();

		final List<Acknowledgment> cancelled = new CopyOnWriteArrayList<>();

		private final Supplier<RuntimeException> failure;

		ManualBatches(Supplier<RuntimeException> failure) {
			this.failure = failure;
		}

		@QueueHandler
		void placed(List<Placed> orders, Acknowledgment acknowledgment) {
			this.placed.add(orders.stream().map(Placed::id).toList().toString());
			throw this.failure.get();
		}

		@QueueHandler
		void cancelled(List<Cancelled> orders, Acknowledgment acknowledgment) {
			this.cancelled.add(acknowledgment);
		}

	}

	@QueueListener(queues = "${queue}", concurrency = "1", batchSize = "4", batchTimeout = "10s")
	static class NamingAndFailing {

		final List<String> handled = new CopyOnWriteArrayList<>();

		@QueueHandler
		BatchResult placed(List<Placed> orders) {
			this.handled.add("placed " + orders.stream().map(Placed::id).toList());
			return BatchResult.create().rejectedAt(0, "not");
		}

		@QueueHandler
		CompletableFuture<Void> cancelled(List<Cancelled> orders) {
			this.handled.add("cancelled " + orders.stream().map(Cancelled::id).toList());
			return CompletableFuture.failedFuture(new IllegalStateException("no"));
		}

	}

	@QueueListener(queues = "${queue}", concurrency = "1", batchSize = "2", batchTimeout = "10s",
			ackMode = AckMode.BEFORE_HANDLING)
	static class AtMostOnce {

		@QueueHandler
		void placed(List<Placed> orders) {
			throw new IllegalStateException("no");
		}

		@QueueHandler
		void cancelled(List<Cancelled> orders) {
		}

	}

	@QueueListener(queues = "${queue}")
	static class Locked {

		private final List<String> handled = new CopyOnWriteArrayList<>();

		@QueueHandler
		@MyLock("#{#order.id()}")
		public void placed(Placed order) {
			this.handled.add("locked " + order.id());
		}

		public List<String> handled() {
			return this.handled;
		}

	}

	@QueueListener(queues = "${queue}")
	static class Validating {

		@QueueHandler
		void placed(@Valid Placed order) {
		}

	}

	@QueueListener(queues = "${queue}", ackMode = AckMode.MANUAL)
	static class Manual {

		final List<Acknowledgment> waiting = new CopyOnWriteArrayList<>();

		@QueueHandler
		void placed(Placed order, Acknowledgment acknowledgment) {
			this.waiting.add(acknowledgment);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(LockAutoConfiguration.class)
	static class Locking {

	}

}
