package io.redelay.queue.send;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.SendResult;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.api.RScript;
import org.redisson.client.codec.StringCodec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.util.RawValue;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.support.MessageBuilder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link QueueTemplate}: what reaches Redis, and what does not.
 */
class QueueTemplateIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static ListenerApplication application;

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis).with("redelay.queue.send.max-message-size", "2KB").start();
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void longPayloadsAmongShortOnesArriveAsTheyWereSent() {
		List<String> payloads = new ArrayList<>();
		for (int length : new int[] { 1, 1900, 10, 1990, 1100, 2, 1000, 970, 1500 }) {
			payloads.add(Character.toString('a' + payloads.size()).repeat(length));
		}
		queues().sendAll(payloads.stream().map((payload) -> OutboundMessage.to(this.queue, List.of(payload))).toList());
		for (String payload : payloads) {
			queues().send(this.queue, List.of(payload));
		}
		List<String> expected = new ArrayList<>(payloads);
		expected.addAll(payloads);
		// Uids are in the order of the sends.
		assertThat(new TreeMap<>(this.state.messages()).values())
			.extracting((envelope) -> envelope.get("payload").get(0).asString())
			.containsExactlyElementsOf(expected);
		assertThat(this.state.messages().values()).allMatch((envelope) -> envelope.has("sentAt"));
	}

	@Test
	void aConverterThatIsAddedAfterTheStartIsAsked() {
		Doubled doubled = new Doubled();
		Numbers numbers = new Numbers();
		try (ListenerApplication own = ListenerApplication.on(redis)
			.with("test.queue", this.queue)
			.bean(numbers)
			.start()) {
			own.queues().send(this.queue, 1);
			Awaitility.await().untilAsserted(() -> assertThat(numbers.handled).containsExactly(1));
			((JsonPayloadConverter) own.context().getBean("redelayMessageConverter")).getConverters().add(0, doubled);
			own.queues().send(this.queue, 1);
			Awaitility.await().untilAsserted(() -> assertThat(numbers.handled).containsExactly(1, 102));
		}
	}

	@Test
	void sendsNow() {
		Instant before = QueueState.now(redis);
		SendResult result = queues().send(this.queue, "hello");
		assertThat(result.queue()).isEqualTo(this.queue);
		assertThat(result.id()).isNotBlank();
		assertThat(result.duplicate()).isFalse();
		assertThat(result.due()).isBetween(before.minusMillis(1), QueueState.now(redis));
		assertThat(this.state.ready()).isEqualTo(1);
	}

	@Test
	void sendsAfterADelay() {
		Instant before = QueueState.now(redis);
		SendResult result = queues().send(this.queue, "later", Duration.ofMinutes(30));
		assertThat(result.due()).isBetween(before.plus(Duration.ofMinutes(30)),
				QueueState.now(redis).plus(Duration.ofMinutes(30)).plusMillis(2));
		assertThat(this.state.scheduled()).isEqualTo(1);
		assertThat(this.state.ready()).isZero();
		JsonNode envelope = only(this.state);
		assertThat(envelope.get("dueAt").asLong()).isEqualTo(result.due().toEpochMilli());
	}

	@Test
	void sendsForAnInstantAndRoundsItUp() {
		Instant due = Instant.parse("2096-01-01T00:00:00.000000001Z");
		SendResult result = queues().sendAt(this.queue, "later", due);
		assertThat(result.due()).isEqualTo(Instant.parse("2096-01-01T00:00:00.001Z"));
		assertThat(only(this.state).get("dueAt").asLong()).isEqualTo(result.due().toEpochMilli());
	}

	@Test
	void anInstantThatHasPassedIsNow() {
		Instant before = QueueState.now(redis);
		SendResult result = queues().sendAt(this.queue, "late", Instant.parse("2001-01-01T00:00:00Z"));
		assertThat(result.due()).isAfterOrEqualTo(before.minusMillis(1));
		assertThat(this.state.ready()).isEqualTo(1);
	}

	@Test
	void aHandlerIsGivenTheTimeThatTheSenderWasGiven() {
		Handler handler = new Handler();
		try (ListenerApplication listening = ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.start()) {
			SendResult result = listening.queues().sendAt(this.queue, "late", Instant.parse("2001-01-01T00:00:00Z"));
			assertThat(handler.handled).succeedsWithin(Duration.ofMinutes(1))
				.extracting(DeliveryInfo::dueAt)
				.isEqualTo(result.due());
		}
	}

	@Test
	void aLivingMessageWithTheIdMakesADuplicate() {
		SendResult first = queues()
			.send(OutboundMessage.to(this.queue, "one").id("order-7").delay(Duration.ofMinutes(5)));
		SendResult second = queues().send(OutboundMessage.to(this.queue, "two").id("order-7"));
		assertThat(first.duplicate()).isFalse();
		assertThat(second).isEqualTo(new SendResult(this.queue, "order-7", first.due(), true));
		assertThat(only(this.state).get("payload").asString()).isEqualTo("one");
	}

	@Test
	void writesAnEnvelopeThatAPersonCanRead() {
		queues().send(OutboundMessage.to(this.queue, new Order(7, "Bücher", List.of(new Item("书", 2))))
			.id("order-7")
			.header("tenant", "a")
			.header("count", 3)
			.header("vip", true)
			.maxAttempts(2)
			.timeToLive(Duration.ofSeconds(5)));
		JsonNode envelope = only(this.state);
		assertThat(envelope.get("v").asInt()).isEqualTo(1);
		assertThat(envelope.get("id").asString()).isEqualTo("order-7");
		assertThat(envelope.get("headers").toString()).isEqualTo("{\"tenant\":\"a\",\"count\":3,\"vip\":true}");
		assertThat(envelope.get("payload").toString())
			.isEqualTo("{\"id\":7,\"name\":\"Bücher\",\"items\":[{\"name\":\"书\",\"count\":2}]}");
		assertThat(envelope.get("maxAttempts").asInt()).isEqualTo(2);
		assertThat(envelope.get("timeToLive").asLong()).isEqualTo(5000);
		assertThat(envelope.has("type")).isFalse();
		assertThat(this.state.raw()).allMatch((raw) -> !raw.contains("io.redelay"), "names no class");
	}

	@Test
	void writesTextAsTextAndBytesAsBase64() {
		queues().send(this.queue, "{not json");
		JsonNode text = only(this.state);
		assertThat(text.get("type").asString()).isEqualTo("text/plain");
		assertThat(text.get("payload").asString()).isEqualTo("{not json");
		String other = TestRedis.queue();
		byte[] bytes = { 0, -1, 127, -128 };
		queues().send(other, bytes);
		JsonNode binary = only(QueueState.of(redis, other));
		assertThat(Base64.getDecoder().decode(binary.get("base64").asString())).isEqualTo(bytes);
	}

	@Test
	void whatAMapperWritesAndIsNoJsonIsSentAsBytes() {
		queues().send(this.queue, new RawValue("{},\"id\":1"));
		assertThat(Base64.getDecoder().decode(only(this.state).get("base64").asString())).asString()
			.isEqualTo("{},\"id\":1");
	}

	@Test
	void sendsAllInOrder() {
		String other = TestRedis.queue();
		List<SendResult> results = queues()
			.sendAll(List.of(OutboundMessage.to(this.queue, 1).id("a"), OutboundMessage.to(other, 2).id("b"),
					OutboundMessage.to(this.queue, 3).id("c"), OutboundMessage.to(this.queue, 4).id("a")));
		assertThat(results).extracting(SendResult::queue).containsExactly(this.queue, other, this.queue, this.queue);
		assertThat(results).extracting(SendResult::id).containsExactly("a", "b", "c", "a");
		assertThat(results).extracting(SendResult::duplicate).containsExactly(false, false, false, true);
		assertThat(this.state.messages()).hasSize(2);
		assertThat(QueueState.of(redis, other).messages()).hasSize(1);
	}

	@Test
	void sendsAllOrNone() {
		assertThatExceptionOfType(MessageSendException.class)
			.isThrownBy(() -> queues().sendAll(
					List.of(OutboundMessage.to(this.queue, "fits"), OutboundMessage.to(this.queue, "x".repeat(3000)))))
			.withMessageContaining("redelay.queue.send.max-message-size");
		assertThat(this.state.messages()).isEmpty();
	}

	@Test
	void sendsNothingOfNothing() {
		assertThat(queues().sendAll(List.of())).isEmpty();
	}

	@Test
	void refusesMoreThanCanGoTogether() {
		List<OutboundMessage> many = new ArrayList<>();
		for (int i = 0; i < 10_001; i++) {
			many.add(OutboundMessage.to(this.queue, i));
		}
		assertThatIllegalArgumentException().isThrownBy(() -> queues().sendAll(many))
			.withMessageContaining("10001")
			.withMessageContaining(this.queue)
			.withMessageContaining("several calls");
		assertThat(this.state.messages()).isEmpty();
	}

	@Test
	void refusesWhatIsTooLargeBeforeRedis() {
		long before = scripts();
		assertThatExceptionOfType(MessageSendException.class)
			.isThrownBy(() -> queues().send(this.queue, "x".repeat(2048)))
			.withMessageContaining(this.queue)
			.withMessageContaining("the limit is 2048");
		assertThat(scripts()).isEqualTo(before);
	}

	@Test
	void refusesWhatCannotBeConverted() {
		assertThatExceptionOfType(MessageSendException.class).isThrownBy(() -> queues().send(this.queue, new Broken()))
			.withMessageContaining(this.queue)
			.withMessageContaining(Broken.class.getName());
		assertThatExceptionOfType(MessageSendException.class).isThrownBy(() -> queues().send(this.queue, new Circle()))
			.withMessageContaining(Circle.class.getName());
		assertThat(this.state.messages()).isEmpty();
	}

	@Test
	void refusesNamesOutsideTheGrammar() {
		for (String name : List.of("", "-a", "a b", "a{b}", "a:b", "ä", "x".repeat(129))) {
			assertThatIllegalArgumentException().isThrownBy(() -> queues().send(name, "x")).withMessageContaining(name);
		}
		assertThat(queues().sendAsync(OutboundMessage.to("a b", "x"))).isCompletedExceptionally();
	}

	@Test
	void refusesWhatCannotBeAHeader() {
		OutboundMessage message = OutboundMessage.to(this.queue, "x");
		assertThatIllegalArgumentException().isThrownBy(() -> message.header("redelay_id", "x"))
			.withMessageContaining("redelay_id");
		assertThatIllegalArgumentException().isThrownBy(() -> message.header("contentType", "x"));
		assertThatIllegalArgumentException().isThrownBy(() -> message.header("list", List.of()))
			.withMessageContaining("'list'");
	}

	@Test
	void refusesDelaysAndIdsThatMakeNoSense() {
		OutboundMessage message = OutboundMessage.to(this.queue, "x");
		assertThatIllegalArgumentException().isThrownBy(() -> message.delay(Duration.ofMillis(-1)));
		assertThatIllegalArgumentException().isThrownBy(() -> message.id(" "));
		assertThatIllegalArgumentException().isThrownBy(() -> message.maxAttempts(0));
		assertThatIllegalArgumentException().isThrownBy(() -> message.timeToLive(Duration.ZERO));
	}

	@Test
	void completesFuturesOnThreadsThatMayBeBlocked() throws Exception {
		Set<String> threads = ConcurrentHashMap.newKeySet();
		CompletableFuture<?>[] sent = new CompletableFuture<?>[50];
		CountDownLatch all = new CountDownLatch(sent.length);
		for (int i = 0; i < sent.length; i++) {
			int number = i;
			sent[i] = queues().sendAsync(OutboundMessage.to(this.queue, i)).thenApply((result) -> {
				threads.add(Thread.currentThread().getName());
				// A callback that sends again would wait for ever on a thread of
				// Redisson's.
				SendResult second = queues().send(this.queue, "after " + number);
				all.countDown();
				return second;
			});
		}
		CompletableFuture.allOf(sent).get(60, TimeUnit.SECONDS);
		assertThat(all.getCount()).isZero();
		assertThat(threads).noneMatch((name) -> name.contains("redisson") || name.contains("netty"));
		assertThat(this.state.messages()).hasSize(100);
	}

	@Test
	void failsTheFutureWithWhatFailed() {
		CompletableFuture<SendResult> sent = queues().sendAsync(OutboundMessage.to(this.queue, "x".repeat(3000)));
		assertThat(sent).failsWithin(Duration.ofMinutes(1))
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(MessageSendException.class);
	}

	@Test
	void sendsThatComeTogetherGoTogether() {
		queues().send(this.queue, "opens the lane");
		long least = Long.MAX_VALUE;
		int rounds = 0;
		// A busy machine may keep the sender so long that a request is through before the
		// next message comes, but hardly each time.
		while (least >= 500 && rounds < 20) {
			long before = scripts();
			List<CompletableFuture<SendResult>> sent = new ArrayList<>();
			for (int i = 0; i < 2000; i++) {
				sent.add(queues().sendAsync(OutboundMessage.to(this.queue, i)));
			}
			assertThat(sent).allSatisfy((each) -> assertThat(each).succeedsWithin(Duration.ofMinutes(1)));
			least = Math.min(least, scripts() - before);
			rounds++;
		}
		assertThat(this.state.messages()).hasSize(1 + rounds * 2000);
		assertThat(least).isLessThan(500);
	}

	private static JsonNode only(QueueState state) {
		Map<String, JsonNode> messages = state.messages();
		assertThat(messages).hasSize(1);
		return messages.values().iterator().next();
	}

	/**
	 * How many scripts the server has run for anybody.
	 */
	private static long scripts() {
		String stats = redis.client()
			.getScript(StringCodec.INSTANCE)
			.eval(RScript.Mode.READ_WRITE, "return redis.call('INFO', 'commandstats')", RScript.ReturnType.STRING);
		return stats.lines()
			.filter((line) -> line.startsWith("cmdstat_eval"))
			.mapToLong((line) -> Long.parseLong(line.replaceAll(".*calls=(\\d+),.*", "$1")))
			.sum() - 1;
	}

	private static QueueOperations queues() {
		return application.queues();
	}

	static class Handler {

		final CompletableFuture<DeliveryInfo> handled = new CompletableFuture<>();

		@QueueListener(queues = "${queue}")
		void handle(String text, DeliveryInfo delivery) {
			this.handled.complete(delivery);
		}

	}

	record Order(long id, String name, List<Item> items) {

	}

	record Item(String name, int count) {

	}

	static class Broken {

		public String getName() {
			throw new IllegalStateException("broken");
		}

	}

	static class Circle {

		public Circle getSelf() {
			return this;
		}

		byte[] bytes() {
			return "x".getBytes(StandardCharsets.UTF_8);
		}

	}

	/**
	 * Sends a number doubled, and adds a hundred to what is received.
	 */
	private static final class Doubled implements MessageConverter {

		@Override
		public Message<?> toMessage(Object payload, MessageHeaders headers) {
			byte[] json = Integer.toString(2 * (Integer) payload).getBytes(StandardCharsets.UTF_8);
			return MessageBuilder.withPayload(json).setHeader(MessageHeaders.CONTENT_TYPE, "application/json").build();
		}

		@Override
		public Object fromMessage(Message<?> message, Class<?> target) {
			return 100 + Integer.parseInt(new String((byte[]) message.getPayload(), StandardCharsets.UTF_8));
		}

	}

	static class Numbers {

		final List<Integer> handled = new CopyOnWriteArrayList<>();

		@QueueListener("${test.queue}")
		void handle(Integer number) {
			this.handled.add(number);
		}

	}

}
