package io.redelay.queue.config;

import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.DeadLetterCount;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests for what becomes of messages that do not fit, and what is said of them.
 */
class ConversionFailureIntegrationTests {

	private static final Map<String, Object> UNKNOWN = Map.of("id", 7, "color", "BLUE");

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	static Stream<Arguments> unconvertible() {
		String color = Color.class.getName();
		String order = Order.class.getName();
		return Stream.of(
				arguments("{\"id\":7}", "of text/plain. What is sent as a string is text: send the object itself"),
				arguments(JsonMapper.shared().valueToTree("{\"id\":7}"),
						order + ", line 1, column 1. The payload is a string"),
				arguments(12, "The payload is a number"), arguments(List.of(), "The payload is a list"),
				arguments(UNKNOWN, "its JSON does not fit the type " + color + ", which has RED, GREEN, at color"),
				arguments(Map.of("color", "RED"), "the type long, which must have a value and has none, at id"));
	}

	@ParameterizedTest
	@MethodSource("unconvertible")
	void whatDoesNotFitIsNamedWithoutItsValues(Object payload, String words) {
		try (ListenerApplication application = start(new Orders()).start()) {
			application.queues().send(this.queue, payload);
			assertThat(this.state.awaitDead().message())
				.startsWith("It does not fit the listener 'Orders.handle' (" + Orders.class.getName()
						+ ".handle of the bean 'Orders'), which takes " + Order.class.getName() + ": ")
				.contains(words)
				.doesNotContain("BLUE");
		}
	}

	@Test
	void aMissingHeaderNamesTheListener() {
		try (ListenerApplication application = start(new Tenants()).start()) {
			application.queues().send(this.queue, "x");
			assertThat(this.state.awaitDead().message()).startsWith("It does not fit the listener 'Tenants.handle' (")
				.contains("'tenant'");
		}
	}

	@Test
	void itIsDeadAtOnceByDefault() {
		try (ListenerApplication application = start(new Orders()).start()) {
			application.queues().send(this.queue, UNKNOWN);
			QueueState.Dead dead = this.state.awaitDead();
			assertThat(dead.reason()).isEqualTo("CONVERSION_FAILED");
			assertThat(dead.history()).isEmpty();
		}
	}

	@Test
	void itIsRetriedUntilAVersionThatItFitsIsThere() {
		try (ListenerApplication application = retrying(new Orders(), 1_000_000).start()) {
			application.queues().send(this.queue, UNKNOWN);
			Awaitility.await().until(() -> this.state.tries() > 0);
		}
		assertThat(this.state.dead()).isEmpty();
		NewOrders handler = new NewOrders();
		try (ListenerApplication application = retrying(handler, 1_000_000).start()) {
			this.state.awaitDrained();
			assertThat(handler.got).containsExactly(new NewOrder(7, "BLUE"));
			assertThat(this.state.dead()).isEmpty();
		}
	}

	@Test
	void whatFitsNowhereIsDeadInTheEnd() {
		try (ListenerApplication application = retrying(new Orders(), 3).start()) {
			application.queues().send(this.queue, UNKNOWN);
			QueueState.Dead dead = this.state.awaitDead();
			assertThat(dead.reason()).isEqualTo("CONVERSION_FAILED");
			assertThat(dead.message()).contains("which has RED, GREEN");
			assertThat(dead.history()).hasSize(2).allMatch((attempt) -> attempt.contains("which has RED, GREEN"));
		}
	}

	@Test
	void whatDoesNotFitIsReadOnceMoreForTheReason() {
		try (ListenerApplication application = start(new Refusals()).start()) {
			application.queues().send(this.queue, Map.of("id", 7));
			assertThat(this.state.awaitDead().reason()).isEqualTo("CONVERSION_FAILED");
			assertThat(Refused.READ).hasValue(2);
		}
	}

	@Test
	void anEmptyPayloadOfJsonDoesNotFit() {
		this.state.put("uid", "{\"sentAt\":1,\"v\":1,\"base64\":\"\"}");
		try (ListenerApplication application = start(new Orders()).start()) {
			assertThat(this.state.awaitDead().message()).contains("which takes " + Order.class.getName())
				.doesNotContain("Index");
		}
	}

	@Test
	void whatANewerRedelaySentIsRetriedAsWell() {
		this.state.put("uid", "{\"v\":99,\"payload\":1}");
		try (ListenerApplication application = retrying(new Orders(), 3).start()) {
			QueueState.Dead dead = this.state.awaitDead();
			assertThat(dead.message()).contains("sent by a newer Redelay");
			assertThat(dead.history()).hasSize(2);
		}
	}

	@Test
	void oneInABatchIsRetriedAlone() {
		Batches handler = new Batches();
		try (ListenerApplication application = retrying(handler, 3).start()) {
			application.queues().send(this.queue, UNKNOWN);
			application.queues().send(this.queue, new Order(1, Color.RED));
			assertThat(this.state.awaitDead().history()).hasSize(2);
			Awaitility.await().until(() -> handler.got.size() == 1);
		}
	}

	@Test
	void differentFailuresAreCountedApart() {
		try (ListenerApplication application = start(new Orders()).start()) {
			for (int i = 0; i < 3; i++) {
				application.queues().send(this.queue, Map.of("n", "x".repeat(i), "id", 7, "color", "BLUE"));
			}
			application.queues().send(this.queue, "text");
			Awaitility.await().until(() -> this.state.dead().size() == 4);
			assertThat(application.bean(QueueAdmin.class).deadLetters().counts(this.queue))
				.extracting(DeadLetterCount::count)
				.containsExactly(3L, 1L);
		}
	}

	private ListenerApplication.Builder start(Object handler) {
		return ListenerApplication.on(redis).bean(handler).with("queue", this.queue);
	}

	private ListenerApplication.Builder retrying(Object handler, int maxAttempts) {
		return start(handler).with("redelay.queue.listener.on-conversion-failure", "retry")
			.with("redelay.queue.listener.max-attempts", maxAttempts);
	}

	enum Color {

		RED, GREEN

	}

	record Order(long id, Color color) {

	}

	record Refused(long id) {

		static final AtomicInteger READ = new AtomicInteger();

		Refused {
			READ.incrementAndGet();
			throw new IllegalArgumentException("refused");
		}

	}

	record NewOrder(long id, String color) {

	}

	static class Orders {

		@QueueListener("${queue}")
		void handle(Order order) {
		}

	}

	static class Refusals {

		@QueueListener("${queue}")
		void handle(Refused refused) {
		}

	}

	static class Tenants {

		@QueueListener("${queue}")
		void handle(String text, @Header("tenant") String tenant) {
		}

	}

	static class NewOrders {

		final List<NewOrder> got = new CopyOnWriteArrayList<>();

		@QueueListener("${queue}")
		void handle(NewOrder order) {
			this.got.add(order);
		}

	}

	static class Batches {

		final List<Order> got = new CopyOnWriteArrayList<>();

		@QueueListener("${queue}")
		void handle(List<Order> orders) {
			this.got.addAll(orders);
		}

	}

}
