package io.redelay.queue.config;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.Acknowledgment;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.SendResult;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Min;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what a handler method can take.
 */
class HandlerParameterIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final String q = TestRedis.queue();

	private static final Listeners listeners = new Listeners();

	private static ListenerApplication application;

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis).bean(listeners).with("q", q).start();
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@AfterEach
	void nothingIsLeft() {
		assertThat(listeners.got).isEmpty();
	}

	@Test
	void takesARecord() {
		Order order = new Order(7, "Bücher 书 🚀", Map.of("a", List.of(1, 2)));
		send("record", order);
		assertThat(got()).isEqualTo(order);
	}

	@Test
	void takesAGenericType() {
		Page<Order> page = new Page<>(List.of(new Order(1, "a", Map.of()), new Order(2, "b", Map.of())));
		send("generic", page);
		assertThat(got()).isEqualTo(page);
	}

	@Test
	void takesAString() {
		for (String text : List.of("hello", "", " ", "\"quoted\" \\ \u0000 书 🚀", "{\"a\":1}", "null", "17")) {
			send("string", text);
			assertThat(got()).isEqualTo(text);
		}
	}

	@Test
	void takesWhatWasSentAsAString() {
		send("string", new Order(7, "x", Map.of()));
		assertThat(got()).isEqualTo("{\"id\":7,\"name\":\"x\",\"sizes\":{}}");
	}

	@Test
	void takesBytes() {
		for (byte[] bytes : List.of(new byte[] { 0, -1, 127, -128, '"' }, new byte[0])) {
			send("bytes", bytes);
			assertThat((byte[]) got()).isEqualTo(bytes);
		}
		send("bytes", "text");
		assertThat((byte[]) got()).isEqualTo("text".getBytes(StandardCharsets.UTF_8));
	}

	@Test
	void takesAMap() {
		Map<String, Object> map = new LinkedHashMap<>();
		map.put("text", "x");
		map.put("number", 12345678901L);
		map.put("nothing", null);
		map.put("list", List.of(1, 2));
		send("map", map);
		assertThat(got()).isEqualTo(map);
	}

	@Test
	void takesANumber() {
		send("number", 42);
		assertThat(got()).isEqualTo(42);
	}

	@Test
	void takesAnArrayAndACollection() {
		send("array", List.of("a", "b"));
		assertThat(got()).isEqualTo(List.of("a", "b"));
		send("collection", List.of(new Order(1, "a", Map.of())));
		assertThat(got()).isEqualTo(List.of(new Order(1, "a", Map.of())));
	}

	@Test
	void takesAMessage() {
		SendResult sent = application.queues()
			.send(OutboundMessage.to(q + "-message", new Order(7, "x", Map.of())).header("tenant", "a"));
		assertThat(got()).isEqualTo(new Order(7, "x", Map.of()));
		Map<?, ?> headers = (Map<?, ?>) got();
		assertThat(headers.get("tenant")).isEqualTo("a");
		assertThat(headers.get(QueueHeaders.ID)).isEqualTo(sent.id());
	}

	@Test
	void takesAMessageBesideThePayload() {
		send("both", "");
		assertThat(got()).isEqualTo("");
		assertThat(got()).isEqualTo("");
	}

	@Test
	void takesAMessageOfBytesOrAnything() {
		send("wild", "anything");
		assertThat(got()).isEqualTo("anything");
		send("raw", "bytes");
		assertThat(got()).isEqualTo("bytes");
	}

	@Test
	void takesHeaders() {
		Instant before = QueueState.now(redis);
		SendResult sent = application.queues()
			.send(OutboundMessage.to(q + "-headers", "x")
				.id("the id")
				.delay(Duration.ofMillis(20))
				.header("text", "書")
				.header("count", 3)
				.header("fraction", 1.5)
				.header("flag", true));
		Map<?, ?> headers = (Map<?, ?>) got();
		assertThat(headers.get("text")).isEqualTo("書");
		assertThat(headers.get("count")).isEqualTo(3L);
		assertThat(headers.get("fraction")).isEqualTo(1.5);
		assertThat(headers.get("flag")).isEqualTo(true);
		assertThat(headers.get("list")).isEqualTo(List.of("書"));
		assertThat(headers.get("missing")).isEqualTo("default");
		Map<?, ?> all = (Map<?, ?>) got();
		assertThat(all.get(QueueHeaders.ID)).isEqualTo("the id");
		assertThat(all.get(QueueHeaders.UID)).asString().isNotBlank().isNotEqualTo("the id");
		assertThat(all.get(QueueHeaders.QUEUE)).isEqualTo(q + "-headers");
		assertThat(all.get(QueueHeaders.ATTEMPT)).isEqualTo(1);
		assertThat(all.get(QueueHeaders.FAILURES)).isEqualTo(0);
		assertThat(all.get(QueueHeaders.CRASHES)).isEqualTo(0);
		assertThat(all.get(QueueHeaders.DUE_AT)).isEqualTo(sent.due());
		assertThat((Instant) all.get(QueueHeaders.SENT_AT)).isBetween(before.minusMillis(1), sent.due());
		assertThat(all.get(QueueHeaders.ACKNOWLEDGMENT)).isInstanceOf(Acknowledgment.class);
	}

	@Test
	void takesTheDeliverysInformation() {
		SendResult sent = send("info", "x");
		DeliveryInfo info = (DeliveryInfo) got();
		assertThat(info.queue()).isEqualTo(q + "-info");
		assertThat(info.id()).isEqualTo(sent.id()).isEqualTo(info.uid());
		assertThat(info.attempt()).isEqualTo(1);
		assertThat(info.sentAt()).isEqualTo(info.dueAt()).isEqualTo(sent.due());
	}

	@Test
	void takesNothing() {
		send("nothing", "x");
		assertThat(got()).isEqualTo("called");
	}

	@Test
	void validates() {
		application.queues().send(q + "-valid", new Limited(0));
		send("valid", new Limited(1));
		assertThat(got()).isEqualTo(new Limited(1));
		QueueState.Dead dead = QueueState.of(redis, q + "-valid").awaitDead();
		assertThat(dead.reason()).isEqualTo("CONVERSION_FAILED");
		assertThat(dead.message()).contains("'count'");
		assertThat(dead.envelope().get("payload").toString()).isEqualTo("{\"count\":0}");
	}

	@Test
	void validatesTheElementsOfABatch() {
		application.queues()
			.sendAll(List.of(OutboundMessage.to(q + "-valid-batch", new Limited(1)),
					OutboundMessage.to(q + "-valid-batch", new Limited(0)),
					OutboundMessage.to(q + "-valid-batch", new Limited(2))));
		assertThat(List.of(got(), got())).containsExactlyInAnyOrder(new Limited(1), new Limited(2));
		assertThat(QueueState.of(redis, q + "-valid-batch").awaitDead().reason()).isEqualTo("CONVERSION_FAILED");
	}

	@Test
	void takesABatch() {
		send("batch", new Order(1, "a", Map.of()));
		assertThat(got()).isEqualTo(List.of(new Order(1, "a", Map.of())));
		send("strings", "");
		assertThat(got()).isEqualTo(List.of(""));
		send("pages", new Page<>(List.of(new Order(1, "a", Map.of()))));
		assertThat(got()).isEqualTo(List.of(new Page<>(List.of(new Order(1, "a", Map.of())))));
	}

	@Test
	void takesABatchOfMessages() {
		application.queues()
			.send(OutboundMessage.to(q + "-messages", new Order(1, "a", Map.of())).header("tenant", "b"));
		assertThat(got()).isEqualTo(new Order(1, "a", Map.of()));
		assertThat(got()).isEqualTo("b");
		assertThat(got()).isEqualTo(1);
		assertThat(got()).isEqualTo(q + "-messages");
	}

	private static SendResult send(String name, Object payload) {
		return application.queues().send(q + "-" + name, payload);
	}

	private static Object got() {
		try {
			Object got = listeners.got.poll(60, TimeUnit.SECONDS);
			assertThat(got).as("what the handler got").isNotNull();
			return got;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	record Order(long id, String name, Map<String, List<Integer>> sizes) {

	}

	record Page<T>(List<T> content) {

	}

	record Limited(@Min(1) int count) {

	}

	static class Listeners {

		final BlockingQueue<Object> got = new LinkedBlockingQueue<>();

		@QueueListener("${q}-record")
		void record(Order order) {
			this.got.add(order);
		}

		@QueueListener("${q}-generic")
		void generic(Page<Order> page) {
			this.got.add(page);
		}

		@QueueListener("${q}-string")
		void string(String text) {
			this.got.add(text);
		}

		@QueueListener("${q}-bytes")
		void bytes(byte[] bytes) {
			this.got.add(bytes);
		}

		@QueueListener("${q}-map")
		void map(Map<String, Object> map) {
			this.got.add(map);
		}

		@QueueListener("${q}-number")
		void number(int number) {
			this.got.add(number);
		}

		@QueueListener("${q}-array")
		void array(String[] array) {
			this.got.add(Arrays.asList(array));
		}

		@QueueListener("${q}-collection")
		void collection(Collection<Order> orders) {
			this.got.add(orders);
		}

		@QueueListener("${q}-message")
		void message(Message<Order> message) {
			this.got.add(message.getPayload());
			this.got.add(message.getHeaders());
		}

		@QueueListener("${q}-both")
		void both(String text, Message<String> message) {
			this.got.add(text);
			this.got.add(message.getPayload());
		}

		@QueueListener("${q}-wild")
		void wild(Message<?> message) {
			this.got.add(new String((byte[]) message.getPayload(), StandardCharsets.UTF_8));
		}

		@QueueListener("${q}-raw")
		void raw(Message<byte[]> message) {
			this.got.add(new String(message.getPayload(), StandardCharsets.UTF_8));
		}

		@QueueListener("${q}-headers")
		void headers(@Header("text") String text, @Header("count") long count, @Header("fraction") double fraction,
				@Header("flag") boolean flag, @Header("text") List<String> list,
				@Header(name = "missing", defaultValue = "default") String missing, @Headers Map<String, Object> all) {
			this.got.add(Map.of("text", text, "count", count, "fraction", fraction, "flag", flag, "list", list,
					"missing", missing));
			this.got.add(all);
		}

		@QueueListener("${q}-info")
		void info(DeliveryInfo info) {
			this.got.add(info);
		}

		@QueueListener("${q}-nothing")
		void nothing() {
			this.got.add("called");
		}

		@QueueListener("${q}-valid")
		void valid(@Payload @Valid Limited limited) {
			this.got.add(limited);
		}

		@QueueListener("${q}-valid-batch")
		void validBatch(@Valid List<Limited> limited) {
			this.got.addAll(limited);
		}

		@QueueListener("${q}-batch")
		void batch(List<Order> orders) {
			this.got.add(orders);
		}

		@QueueListener("${q}-strings")
		void strings(List<String> texts) {
			this.got.add(texts);
		}

		@QueueListener("${q}-pages")
		void pages(List<Page<Order>> pages) {
			this.got.add(pages);
		}

		@QueueListener("${q}-messages")
		void messages(List<Message<Order>> messages, @Header(QueueHeaders.QUEUE) String queue) {
			messages.forEach((message) -> {
				this.got.add(message.getPayload());
				this.got.add(message.getHeaders().get("tenant"));
				this.got.add(message.getHeaders().get(QueueHeaders.ATTEMPT));
			});
			this.got.add(queue);
		}

	}

}
