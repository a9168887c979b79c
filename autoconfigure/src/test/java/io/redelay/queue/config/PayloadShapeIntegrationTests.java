package io.redelay.queue.config;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.assertj.core.api.AutoCloseableSoftAssertions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.messaging.Message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests that a handler gets its payload in all the shapes in which a parameter can take
 * it: alone, in a message, as something optional and in a batch, each around each.
 */
class PayloadShapeIntegrationTests {

	private static final List<String> WRAPPERS = List.of("Plain", "Message", "Optional", "OptionalInMessage", "Batch",
			"BatchOfMessages", "BatchOfOptionals", "BatchOfOptionalsInMessages");

	private static final Order ORDER = new Order(7, "x");

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	static Stream<Arguments> shapes() {
		return Stream.of(arguments(new Page<>(List.of(ORDER)), new Pages()), arguments(Map.of("a", ORDER), new Maps()),
				arguments(List.of(ORDER, ORDER), new Lists()), arguments(ORDER, new Shapes<Order>() {
				}), arguments(new Page<>(List.of(ORDER)), new Shapes<Page<Order>>() {
				}), arguments(Map.of("a", List.of(ORDER)), new Shapes<Map<String, List<Order>>>() {
				}), arguments(new Order[] { ORDER, ORDER }, new Shapes<Order[]>() {
				}), arguments("text", new Shapes<String>() {
				}), arguments(new byte[] { -1, 0, 1 }, new Shapes<byte[]>() {
				}), arguments(12, new Shapes<Integer>() {
				}), arguments(Color.RED, new Shapes<Color>() {
				}));
	}

	/**
	 * A list alone is a batch.
	 */
	@ParameterizedTest
	@MethodSource("shapes")
	void eachShapeIsTaken(Object payload, Taker listener) {
		String q = TestRedis.queue();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean("shapes", listener)
			.with("q", q)
			.start(); AutoCloseableSoftAssertions softly = new AutoCloseableSoftAssertions()) {
			for (String wrapper : WRAPPERS) {
				if (!(payload instanceof List) || !wrapper.equals("Plain")) {
					application.queues().send(OutboundMessage.to(q + "-" + wrapper, payload).header("tenant", "a"));
					QueueState state = QueueState.of(redis, q + "-" + wrapper);
					Awaitility.await()
						.pollInterval(Duration.ofMillis(5))
						.until(() -> !listener.got.isEmpty() || !state.dead().isEmpty());
					softly.assertThat(listener.got.poll())
						.as(wrapper)
						.withFailMessage(() -> String.valueOf(state.dead()))
						.isEqualTo(payload);
				}
			}
		}
	}

	@Test
	void anEmptyOptionalIsSentAndTaken() {
		String q = TestRedis.queue();
		Optionals listener = new Optionals();
		try (ListenerApplication application = ListenerApplication.on(redis).bean(listener).with("q", q).start()) {
			for (String name : List.of("order", "text", "message", "batch")) {
				application.queues().send(q + "-" + name, Optional.empty());
				assertThat(listener.got()).as(name).isEqualTo(Optional.empty());
				application.queues().send(q + "-" + name, Optional.of(ORDER));
				assertThat(listener.got()).as(name)
					.isEqualTo(Optional.of(name.equals("text") ? "{\"id\":7,\"name\":\"x\"}" : ORDER));
			}
			application.queues().send(q + "-text", "null");
			assertThat(listener.got()).isEqualTo(Optional.of("null"));
		}
	}

	@Test
	void nothingForATypeThatIsNotOptionalIsNamed() {
		String q = TestRedis.queue();
		try (ListenerApplication application = ListenerApplication.on(redis).bean(new Orders()).with("q", q).start()) {
			application.queues().send(q + "-order", Optional.empty());
			assertThat(QueueState.of(redis, q + "-order").awaitDead().message()).contains("its JSON is null",
					Order.class.getName(), "Take an Optional<Order>");
		}
	}

	@Test
	void aListForABatchSaysSoAndNamesTheMend() {
		String q = TestRedis.queue();
		try (ListenerApplication application = ListenerApplication.on(redis).bean(new Orders()).with("q", q).start()) {
			application.queues().send(q + "-batch", List.of(ORDER, ORDER));
			application.queues().send(q + "-order", List.of(ORDER));
			assertThat(QueueState.of(redis, q + "-batch").awaitDead().message()).contains(
					"The payload itself is a list, and a List<Order> parameter takes a batch", "Collection<Order>",
					"Message<List<Order>>", "List<List<Order>>");
			assertThat(QueueState.of(redis, q + "-order").awaitDead().message()).doesNotContain("batch");
		}
	}

	@Test
	void theTypeIsKnownBehindAProxyOfAnInterface() {
		String q = TestRedis.queue();
		List<Object> got = new CopyOnWriteArrayList<>();
		ProxyFactory proxy = new ProxyFactory((Object) new Interfaced(got));
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean("interfaced", proxy.getProxy())
			.with("q", q)
			.start()) {
			application.queues().send(q, new Page<>(List.of(ORDER)));
			Awaitility.await().until(() -> !got.isEmpty());
			assertThat(got).containsExactly(new Page<>(List.of(ORDER)));
		}
	}

	record Order(long id, String name) {

	}

	record Page<T>(List<T> content) {

	}

	enum Color {

		RED

	}

	/**
	 * Takes what is sent out of what it is wrapped in.
	 */
	abstract static class Taker {

		private final BlockingQueue<Object> got = new LinkedBlockingQueue<>();

		final void take(Object taken) {
			if (taken instanceof Message<?> message) {
				assertThat(message.getHeaders()).containsEntry("tenant", "a");
				take(message.getPayload());
			}
			else if (taken instanceof Optional<?> optional) {
				take(optional.orElseThrow());
			}
			else {
				this.got.add(taken);
			}
		}

		final void takeBatch(List<?> batch) {
			batch.forEach(this::take);
		}

	}

	/**
	 * The type of the payload is known from the class that extends this one.
	 */
	abstract static class Shapes<P> extends Taker {

		@QueueListener("${q}-Plain")
		void plain(P taken) {
			take(taken);
		}

		@QueueListener("${q}-Message")
		void message(Message<P> taken) {
			take(taken);
		}

		@QueueListener("${q}-Optional")
		void optional(Optional<P> taken) {
			take(taken);
		}

		@QueueListener("${q}-OptionalInMessage")
		void optionalInMessage(Message<Optional<P>> taken) {
			take(taken);
		}

		@QueueListener("${q}-Batch")
		void batch(List<P> taken) {
			takeBatch(taken);
		}

		@QueueListener("${q}-BatchOfMessages")
		void batchOfMessages(List<Message<P>> taken) {
			takeBatch(taken);
		}

		@QueueListener("${q}-BatchOfOptionals")
		void batchOfOptionals(List<Optional<P>> taken) {
			takeBatch(taken);
		}

		@QueueListener("${q}-BatchOfOptionalsInMessages")
		void batchOfOptionalsInMessages(List<Message<Optional<P>>> taken) {
			takeBatch(taken);
		}

	}

	static class Pages extends Taker {

		@QueueListener("${q}-Plain")
		void plain(Page<Order> taken) {
			take(taken);
		}

		@QueueListener("${q}-Message")
		void message(Message<Page<Order>> taken) {
			take(taken);
		}

		@QueueListener("${q}-Optional")
		void optional(Optional<Page<Order>> taken) {
			take(taken);
		}

		@QueueListener("${q}-OptionalInMessage")
		void optionalInMessage(Message<Optional<Page<Order>>> taken) {
			take(taken);
		}

		@QueueListener("${q}-Batch")
		void batch(List<Page<Order>> taken) {
			takeBatch(taken);
		}

		@QueueListener("${q}-BatchOfMessages")
		void batchOfMessages(List<Message<Page<Order>>> taken) {
			takeBatch(taken);
		}

		@QueueListener("${q}-BatchOfOptionals")
		void batchOfOptionals(List<Optional<Page<Order>>> taken) {
			takeBatch(taken);
		}

		@QueueListener("${q}-BatchOfOptionalsInMessages")
		void batchOfOptionalsInMessages(List<Message<Optional<Page<Order>>>> taken) {
			takeBatch(taken);
		}

	}

	static class Maps extends Taker {

		@QueueListener("${q}-Plain")
		void plain(Map<String, Order> taken) {
			take(taken);
		}

		@QueueListener("${q}-Message")
		void message(Message<Map<String, Order>> taken) {
			take(taken);
		}

		@QueueListener("${q}-Optional")
		void optional(Optional<Map<String, Order>> taken) {
			take(taken);
		}

		@QueueListener("${q}-OptionalInMessage")
		void optionalInMessage(Message<Optional<Map<String, Order>>> taken) {
			take(taken);
		}

		@QueueListener("${q}-Batch")
		void batch(List<Map<String, Order>> taken) {
			takeBatch(taken);
		}

		@QueueListener("${q}-BatchOfMessages")
		void batchOfMessages(List<Message<Map<String, Order>>> taken) {
			takeBatch(taken);
		}

		@QueueListener("${q}-BatchOfOptionals")
		void batchOfOptionals(List<Optional<Map<String, Order>>> taken) {
			takeBatch(taken);
		}

		@QueueListener("${q}-BatchOfOptionalsInMessages")
		void batchOfOptionalsInMessages(List<Message<Optional<Map<String, Order>>>> taken) {
			takeBatch(taken);
		}

	}

	static class Lists extends Taker {

		@QueueListener("${q}-Message")
		void message(Message<List<Order>> taken) {
			take(taken);
		}

		@QueueListener("${q}-Optional")
		void optional(Optional<List<Order>> taken) {
			take(taken);
		}

		@QueueListener("${q}-OptionalInMessage")
		void optionalInMessage(Message<Optional<List<Order>>> taken) {
			take(taken);
		}

		@QueueListener("${q}-Batch")
		void batch(List<List<Order>> taken) {
			takeBatch(taken);
		}

		@QueueListener("${q}-BatchOfMessages")
		void batchOfMessages(List<Message<List<Order>>> taken) {
			takeBatch(taken);
		}

		@QueueListener("${q}-BatchOfOptionals")
		void batchOfOptionals(List<Optional<List<Order>>> taken) {
			takeBatch(taken);
		}

		@QueueListener("${q}-BatchOfOptionalsInMessages")
		void batchOfOptionalsInMessages(List<Message<Optional<List<Order>>>> taken) {
			takeBatch(taken);
		}

	}

	static class Optionals {

		private final BlockingQueue<Object> got = new LinkedBlockingQueue<>();

		Object got() {
			return Awaitility.await().pollInterval(Duration.ofMillis(5)).until(this.got::poll, Objects::nonNull);
		}

		@QueueListener("${q}-order")
		void order(Optional<Order> taken) {
			this.got.add(taken);
		}

		@QueueListener("${q}-text")
		void text(Optional<String> taken) {
			this.got.add(taken);
		}

		@QueueListener("${q}-message")
		void message(Message<Optional<Order>> taken) {
			this.got.add(taken.getPayload());
		}

		@QueueListener("${q}-batch")
		void batch(List<Optional<Order>> taken) {
			this.got.addAll(taken);
		}

	}

	static class Orders {

		@QueueListener("${q}-order")
		void order(Order taken) {
		}

		@QueueListener("${q}-batch")
		void batch(List<Order> taken) {
		}

	}

	interface Handler<P> {

		@QueueListener("${q}")
		void handle(Message<P> taken);

	}

	record Interfaced(List<Object> got) implements Handler<Page<Order>> {

		@Override
		public void handle(Message<Page<Order>> taken) {
			this.got.add(taken.getPayload());
		}

	}

}
