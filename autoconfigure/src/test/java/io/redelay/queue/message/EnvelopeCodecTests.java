package io.redelay.queue.message;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.redelay.queue.ExpiryAction;
import io.redelay.queue.HandlingOptions;
import io.redelay.queue.MessageBackoff;
import io.redelay.queue.MessageDeadline;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.RawValue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link EnvelopeCodec}.
 */
class EnvelopeCodecTests {

	private final JsonMapper mapper = JsonMapper.shared();

	private static final HandlingOptions HANDLING = new HandlingOptions("order-placed",
			new MessageBackoff(Duration.ofMillis(10), 1.5, Duration.ofSeconds(2), 0.1), Duration.ofMillis(250),
			"failed-orders");

	private final EnvelopeCodec codec = new EnvelopeCodec();

	@Test
	void anEnvelopeWithNothingButJsonIsPlain() {
		byte[] written = this.codec.write(envelope(null, Map.of(), json("{\"a\":\"ü\"}")));
		assertThat(new String(written, StandardCharsets.UTF_8)).isEqualTo("{\"v\":1,\"payload\":{\"a\":\"ü\"}}");
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 100, 7_990, 8_000, 10_000, 17_000, 100_000 })
	void aPayloadIsWrittenToAPlainEnvelopeAsIntoAnyOther(int length) {
		List<String> payload = List.of("ü".repeat(length), "a");
		byte[] json = this.mapper.writeValueAsBytes(payload);
		assertThat(EnvelopeCodec.writePlain(this.mapper, payload))
			.isEqualTo(this.codec.write(envelope(null, Map.of(), json)));
	}

	@Test
	void whatMayBeNoJsonIsNotWrittenToAPlainEnvelope() {
		assertThat(EnvelopeCodec.writePlain(this.mapper, new RawValue("{}, \"id\":1"))).isNull();
		assertThat(EnvelopeCodec.writePlain(this.mapper, new RawValue(""))).isNull();
	}

	@Test
	void aPayloadIsAValueBesideAllElse() {
		Envelope given = new Envelope(Envelope.Options.of("order-7", Map.of("tenant", "a"), 3,
				Envelope.Lifetime.of(Duration.ofSeconds(5), true,
						new MessageDeadline(Duration.ofSeconds(9), null, ExpiryAction.DROP)),
				Envelope.Keys.of("customer-7", "tenant \"ü\"", 9, Set.of("order:7", "tag \"ü\"")), HANDLING, false),
				"application/json", json(" [1, 2.5, \"ü\"] "));
		byte[] written = this.codec.write(given);
		JsonNode tree = this.mapper.readTree(written);
		assertThat(tree.get("payload").toString()).isEqualTo("[1,2.5,\"ü\"]");
		assertThat(tree.get("id").asString()).isEqualTo("order-7");
		Envelope read = this.codec.read(written);
		assertThat(new String(read.payload(), StandardCharsets.UTF_8)).isEqualTo("[1, 2.5, \"ü\"]");
		assertThat(read.headers()).isEqualTo(Map.of("tenant", "a"));
		assertThat(read.maxAttempts()).isEqualTo(3);
		assertThat(read.lifetime()).isEqualTo(given.lifetime());
		assertThat(tree.get("orderingKey").asString()).isEqualTo("customer-7");
		assertThat(tree.get("fairnessKey").asString()).isEqualTo("tenant \"ü\"");
		assertThat(tree.get("priority").asInt()).isEqualTo(9);
		assertThat(read.keys()).isEqualTo(given.keys());
		assertThat(read.handling()).isEqualTo(HANDLING);
	}

	@ParameterizedTest
	@ValueSource(strings = { "[[\"x\"],{\"payload\":2},\"c\",7,null]", "{\"payload\":2}", "\"x\"", "null" })
	void tagsThatAreNoneArePassedOver(String tags) {
		Envelope read = this.codec.read(json("{\"v\":1,\"tags\":" + tags + ",\"payload\":1}"));
		assertThat(new String(read.payload(), StandardCharsets.UTF_8)).isEqualTo("1");
		assertThat(read.keys().tags()).isSubsetOf("c");
	}

	@ParameterizedTest
	@ValueSource(strings = { "UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32BE", "UTF-32LE" })
	void jsonInAnotherEncodingComesBackAsItWas(String charset) throws Exception {
		assertComesBack("{\"a\":1}".getBytes(charset));
	}

	@Test
	void jsonBehindAByteOrderMarkComesBackAsItWas() {
		assertComesBack(json("\uFEFF{\"a\":1}"));
	}

	@Test
	void whatOnlySaysThatItIsJsonComesBackAsItWas() {
		assertComesBack(json("{\"a\":1}}"));
		assertComesBack(json("{\"a\":1} {}"));
		assertComesBack(json(""));
		assertComesBack(new byte[] { '{', -1, '}' });
	}

	@Test
	void jsonIsRefusedThatCouldNotBeReadInItsEnvelope() {
		assertComesBack(json("[".repeat(500) + "]".repeat(500)));
		byte[] deep = json("[".repeat(501) + "]".repeat(501));
		assertThatExceptionOfType(EnvelopeException.class)
			.isThrownBy(() -> this.codec.write(envelope(null, Map.of(), deep)))
			.withMessageStartingWith(
					"its JSON is nested more than 500 levels deep, or has a number of more than 1000 ");
	}

	@Test
	void aNumberIsRefusedThatIsTooLongForAHeader() {
		Map<String, Object> headers = Map.of("huge", BigInteger.TEN.pow(1000));
		assertThatExceptionOfType(EnvelopeException.class)
			.isThrownBy(() -> this.codec.write(envelope(null, headers, json("1"))))
			.withMessage("the header 'huge' is a java.math.BigInteger that cannot be written as a JSON number of up to"
					+ " 1000 characters");
	}

	@Test
	void aDeadlineFromTheArrivalIsNotOverThen() {
		MessageDeadline after = new MessageDeadline(Duration.ofSeconds(1), null, ExpiryAction.BURY);
		MessageDeadline at = new MessageDeadline(null, Instant.EPOCH.plusSeconds(1), ExpiryAction.BURY);
		for (Duration timeToLive : new Duration[] { null, Duration.ofSeconds(1) }) {
			assertThat(EnvelopeCodec.mayBeOverdue(written(timeToLive, null), true)).isFalse();
			assertThat(EnvelopeCodec.mayBeOverdue(written(timeToLive, after), false)).isFalse();
			assertThat(EnvelopeCodec.mayBeOverdue(written(timeToLive, after), true)).isTrue();
			assertThat(EnvelopeCodec.mayBeOverdue(written(timeToLive, at), false)).isTrue();
			assertThat(EnvelopeCodec.mayBeOverdue(written(timeToLive, at), true)).isTrue();
		}
	}

	private byte[] written(Duration timeToLive, MessageDeadline deadline) {
		return this.codec.write(new Envelope(Envelope.Options.of(null, Map.of(), null,
				new Envelope.Lifetime(timeToLive, false, deadline), Envelope.Keys.NONE, HandlingOptions.NONE, false),
				"application/json", json("{}")));
	}

	private void assertComesBack(byte[] payload) {
		for (String id : new String[] { null, "order-7" }) {
			byte[] written = this.codec.write(envelope(id, new HashMap<>(), payload));
			Envelope read = this.codec.read(written);
			assertThat(read.payload()).isEqualTo(payload);
			assertThat(read.contentType()).isEqualTo("application/json");
			assertThat(read.id()).isEqualTo(id);
		}
	}

	private static Envelope envelope(String id, Map<String, Object> headers, byte[] payload) {
		return new Envelope(Envelope.Options.of(id, headers, null, Envelope.Lifetime.NONE, Envelope.Keys.NONE,
				HandlingOptions.NONE, false), "application/json", payload);
	}

	private static byte[] json(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
