package io.redelay.queue.config;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.redelay.autoconfigure.LockAutoConfiguration;
import io.redelay.lock.MyLock;
import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PayloadType;
import io.redelay.queue.QueueHandler;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RLock;

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
		return ListenerApplication.on(redis).bean(handler).with("queue", this.queue).start();
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
