package io.redelay.queue.send;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RetryMessageException;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.messaging.Message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Tests that what no reader could read, or what is out of range, is refused when it is
 * sent, and that what is just allowed arrives.
 */
class SendLimitIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final String queue = TestRedis.queue();

	private static final Listener listener = new Listener();

	private static ListenerApplication application;

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis).bean(listener).with("q", queue).start();
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	static Stream<Arguments> unreadable() {
		OutboundMessage message = OutboundMessage.to(queue, "x");
		return Stream.of(arguments("nested", OutboundMessage.to(queue, nested(501))),
				arguments("nested with headers", OutboundMessage.to(queue, nested(501)).header("tenant", "a")),
				arguments("a number", OutboundMessage.to(queue, Map.of("number", digits(1200)))),
				arguments("a fraction", OutboundMessage.to(queue, Map.of("n", new BigDecimal(digits(1200), 600)))),
				arguments("a name", OutboundMessage.to(queue, Map.of("n".repeat(60_000), 1))),
				arguments("a header's name", message.header("n".repeat(60_000), "x")),
				arguments("a header's number", message.header("number", digits(1200))),
				arguments("a number of another kind", message.header("number", new Roman())),
				arguments("half a character in the name of a header", message.header("a\ud800", "x")),
				arguments("half a character of text", OutboundMessage.to(queue, "a\udc00b")));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("unreadable")
	void whatNoReaderCanReadIsRefused(String what, OutboundMessage message) {
		assertThatExceptionOfType(MessageSendException.class).isThrownBy(() -> application.queues().send(message))
			.withMessageContaining(queue);
		assertThat(QueueState.of(redis, queue).dead()).isEmpty();
		assertThat(listener.got).isEmpty();
	}

	static Stream<Arguments> readable() {
		return Stream.of(arguments(nested(500), Map.of()), arguments(nested(500), Map.of("tenant", "a")),
				arguments(Map.of("number", digits(1000)), Map.of()), arguments(Map.of("n".repeat(50_000), 1), Map.of()),
				arguments(Map.of("half", "a\ud800"), Map.of("half", "a\ud800")),
				arguments(Map.of("text", "\ud83d\ude80"),
						Map.of("n".repeat(50_000), "x", "number", digits(1000), "small", 7L, "text", "\ud83d\ude80")));
	}

	@ParameterizedTest(name = "{index}")
	@MethodSource("readable")
	void whatIsJustAllowedArrives(Map<String, Object> payload, Map<String, Object> headers) {
		application.queues().send(OutboundMessage.to(queue, payload).headers(headers));
		Message<?> got = Awaitility.await().until(() -> listener.got.poll(), (each) -> each != null);
		assertThat(got.getPayload()).isEqualTo(payload);
		headers.forEach((name, value) -> assertThat(got.getHeaders().get(name)).hasToString(value.toString()));
	}

	@Test
	void anIdThatCannotBeWrittenIsRefused() {
		OutboundMessage message = OutboundMessage.to(queue, "x");
		for (String id : List.of("a\ud800", "\udc00b", "a\ud800b", "\udc00\ud800")) {
			assertThatIllegalArgumentException().isThrownBy(() -> message.id(id)).withMessageContaining("surrogate");
			assertThatIllegalArgumentException()
				.isThrownBy(() -> application.bean(QueueAdmin.class).messages().find(queue, id))
				.withMessageContaining("surrogate");
		}
		assertThat(message.id("\ud83d\ude80").id()).isEqualTo("\ud83d\ude80");
	}

	@Test
	@SuppressWarnings("NullAway")
	void whatIsMissingIsNamed() {
		OutboundMessage message = OutboundMessage.to(queue, "x");
		Map<String, Object> headers = new HashMap<>();
		headers.put(null, "x");
		assertThatIllegalArgumentException().isThrownBy(() -> message.header(null, "x"))
			.withMessageContaining("'name'");
		assertThatIllegalArgumentException().isThrownBy(() -> message.headers(headers)).withMessageContaining("'name'");
		assertThatIllegalArgumentException().isThrownBy(() -> message.header("a", null)).withMessageContaining("'a'");
		assertThatIllegalArgumentException().isThrownBy(() -> message.headers(null)).withMessageContaining("'headers'");
		assertThatIllegalArgumentException().isThrownBy(() -> message.timeToLive(Duration.ofDays(1), null))
			.withMessageContaining("'expiryAction'");
		assertThatIllegalArgumentException().isThrownBy(() -> application.queues().send(queue, "x", null))
			.withMessageContaining("'delay'");
		assertThatIllegalArgumentException().isThrownBy(() -> application.queues().sendAt(queue, "x", null))
			.withMessageContaining("'dueAt'");
	}

	@Test
	void timesOutOfRangeAreRefused() {
		OutboundMessage message = OutboundMessage.to(queue, "x");
		QueueAdmin admin = application.bean(QueueAdmin.class);
		application.queues().send(OutboundMessage.to(queue, "x").id("later").delay(Duration.ofDays(1)));
		Duration tooLong = Duration.ofDays(3651);
		Instant tooFar = Instant.parse("2500-01-01T00:00:00Z");
		assertThatIllegalArgumentException().isThrownBy(() -> message.delay(tooLong)).withMessageContaining("3650");
		assertThatIllegalArgumentException().isThrownBy(() -> message.dueAt(tooFar)).withMessageContaining("2469");
		assertThatIllegalArgumentException().isThrownBy(() -> admin.messages().reschedule(queue, "later", tooLong))
			.withMessageContaining("3650");
		assertThatIllegalArgumentException().isThrownBy(() -> admin.messages().rescheduleAt(queue, "later", tooFar))
			.withMessageContaining("2469");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> admin.messages().rescheduleAt(queue, "later", Instant.MAX))
			.withMessageContaining("2469");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> admin.control().drain(queue, Duration.ofSeconds(Long.MAX_VALUE)))
			.withMessageContaining("3650");
		assertThatIllegalArgumentException().isThrownBy(() -> new RetryMessageException(tooLong, new Roman.Fall()))
			.withMessageContaining("3650")
			.withCauseInstanceOf(Roman.Fall.class);
		assertThat(admin.messages().cancel(queue, "later").done()).isTrue();
	}

	private static Map<String, Object> nested(int depth) {
		Object inner = new ArrayList<>();
		for (int i = 2; i < depth; i++) {
			inner = List.of(inner);
		}
		return Map.of("nested", inner);
	}

	private static BigInteger digits(int count) {
		return BigInteger.TEN.pow(count - 1);
	}

	static class Listener {

		final BlockingQueue<Message<Map<String, Object>>> got = new LinkedBlockingQueue<>();

		@QueueListener("${q}")
		void handle(Message<Map<String, Object>> message) {
			this.got.add(message);
		}

	}

	/**
	 * A number that is not written as one.
	 */
	@SuppressWarnings("serial")
	static class Roman extends Number {

		@Override
		public int intValue() {
			return 14;
		}

		@Override
		public long longValue() {
			return 14;
		}

		@Override
		public float floatValue() {
			return 14;
		}

		@Override
		public double doubleValue() {
			return 14;
		}

		@Override
		public String toString() {
			return "XIV";
		}

		static class Fall extends RuntimeException {

		}

	}

}
