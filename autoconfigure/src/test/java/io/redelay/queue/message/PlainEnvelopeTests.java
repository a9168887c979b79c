package io.redelay.queue.message;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link PlainEnvelope} and {@link LastValue}.
 */
class PlainEnvelopeTests {

	private static final String BEGINNING = "{\"sentAt\":1795176000000,\"v\":1,\"payload\":";

	private static final List<String> VALUES = List.of("1", "-2.5e3", "null", "true", "\"\"", "\"a,b}\"",
			"\"ü\\\"]\\\\\"", "{}", "[]", "{\"a\":[1,{\"b\":\"}\"}],\"c\":null}", "[[\"]\"],[2]]", " [1, 2] ",
			"\t{\"a\" : 1}\r\n");

	private final EnvelopeCodec codec = new EnvelopeCodec();

	private final JsonMapper mapper = JsonMapper.shared();

	@ParameterizedTest
	@ValueSource(strings = { "1", "\"a\\\"}\"", "{\"a\":[\"]\"]}", "null" })
	void whatTheStoreHasIsReadByPosition(String payload) {
		byte[] written = this.codec
			.write(new Envelope(Envelope.Options.NONE, "application/json", payload.getBytes(StandardCharsets.UTF_8)));
		String body = new String(written, StandardCharsets.UTF_8).substring(1);
		Envelope atOnce = PlainEnvelope.read(utf8("{\"sentAt\":1795176000000," + body));
		Envelope later = PlainEnvelope.read(utf8("{\"sentAt\":1795176000000,\"dueAt\":1795176003001," + body));
		assertThat(atOnce).isNotNull();
		assertThat(later).isNotNull();
		assertThat(atOnce.payload()).isEqualTo(utf8(payload));
		assertThat(later.payload()).isEqualTo(utf8(payload));
		assertThat(atOnce.dueAt()).isEqualTo(atOnce.sentAt()).isEqualTo(Instant.ofEpochMilli(1795176000000L));
		assertThat(later.dueAt()).isEqualTo(Instant.ofEpochMilli(1795176003001L));
	}

	@ParameterizedTest
	@ValueSource(strings = { "{\"v\":1,\"payload\":1}", "{\"sentAt\":1,\"v\":1,\"id\":\"a\",\"payload\":1}",
			"{\"sentAt\":01,\"v\":1,\"payload\":1}", "{\"sentAt\":1234567890123456,\"v\":1,\"payload\":1}",
			"{\"sentAt\":-1,\"v\":1,\"payload\":1}", "{\"sentAt\":1,\"dueAt\":,\"v\":1,\"payload\":1}",
			"{\"sentAt\":1,\"v\":2,\"payload\":1}", "{\"sentAt\":1,\"v\":1,\"payload\":1,\"id\":\"a\"}",
			"{\"sentAt\":1,\"v\":1,\"payload\":1}\n", "{\"sentAt\":1,\"v\":1,\"payload\":}",
			"{\"sentAt\":1,\"v\":1,\"payload\":{}", "{\"sentAt\":1,\"v\":1,\"payload\":\"}", "{\"sentAt\":1", "" })
	void eachOtherLayoutIsLeftToTheParser(String envelope) {
		assertThat(PlainEnvelope.read(utf8(envelope))).isNull();
	}

	@Test
	void whatIsBehindThePayloadIsReadAsWell() {
		Envelope read = this.codec
			.read(utf8(BEGINNING + "{\"a\":1},\"id\":\"order-7\",\"headers\":{\"tenant\":\"a\"}}"));
		assertThat(read.id()).isEqualTo("order-7");
		assertThat(read.headers()).isEqualTo(Map.of("tenant", "a"));
		assertThat(read.payload()).isEqualTo(utf8("{\"a\":1}"));
		Envelope other = this.codec.read(utf8("{\"id\":\"a\",\"payload\":[1,2],\"maxAttempts\":3,\"v\":1}"));
		assertThat(other.maxAttempts()).isEqualTo(3);
		assertThat(other.payload()).isEqualTo(utf8("[1,2]"));
	}

	/**
	 * What is read by position has the values that a parser of JSON finds, also if bytes
	 * were changed, as long as it is JSON.
	 */
	@Test
	void aParserReadsTheSame() {
		Random random = new Random(29);
		int byPosition = 0;
		for (int i = 0; i < 200_000; i++) {
			byte[] envelope = anyEnvelope(random);
			JsonNode tree = tree(envelope);
			if (tree != null && tree.isObject()) {
				byPosition += (PlainEnvelope.read(envelope) != null) ? 1 : 0;
				assertReadsAs(tree, envelope);
			}
			else if (tree == null) {
				assertFailsAsAnEnvelope(envelope);
			}
		}
		assertThat(byPosition).isGreaterThan(10_000);
	}

	private void assertReadsAs(JsonNode tree, byte[] envelope) {
		Envelope read;
		try {
			read = this.codec.read(envelope);
		}
		catch (EnvelopeException ex) {
			assertThat(PlainEnvelope.read(envelope)).as(text(envelope)).isNull();
			return;
		}
		if (read.isJson() && tree.get("payload") != null && tree.get("base64") == null) {
			assertThat(this.mapper.readTree(read.payload())).as(text(envelope)).isEqualTo(tree.get("payload"));
		}
		JsonNode id = tree.get("id");
		assertThat(read.id()).as(text(envelope)).isEqualTo((id != null) ? id.asString() : null);
		if (PlainEnvelope.read(envelope) != null) {
			long sentAt = tree.get("sentAt").asLong();
			assertThat(read.sentAt().toEpochMilli()).isEqualTo(sentAt);
			assertThat(read.dueAt().toEpochMilli())
				.isEqualTo((tree.get("dueAt") != null) ? tree.get("dueAt").asLong() : sentAt);
			assertThat(tree.size()).as(text(envelope)).isEqualTo((tree.get("dueAt") != null) ? 4 : 3);
		}
	}

	/**
	 * Bytes that are no JSON are an unreadable envelope, or have an unreadable payload.
	 */
	private void assertFailsAsAnEnvelope(byte[] envelope) {
		try {
			this.codec.read(envelope);
		}
		catch (EnvelopeException ex) {
			assertThat(ex).hasMessageStartingWith("The envelope ");
		}
	}

	private static byte[] anyEnvelope(Random random) {
		StringBuilder text = new StringBuilder("{\"sentAt\":").append(1 + random.nextInt(100_000)).append(',');
		if (random.nextBoolean()) {
			text.append("\"dueAt\":").append(1 + random.nextInt(100_000)).append(',');
		}
		text.append("\"v\":1,");
		if (random.nextInt(4) == 0) {
			text.append("\"id\":\"a\",");
		}
		text.append("\"payload\":").append(VALUES.get(random.nextInt(VALUES.size())));
		if (random.nextInt(4) == 0) {
			text.append(",\"id\":\"b\"");
		}
		byte[] envelope = utf8(text.append('}').toString());
		byte[] others = utf8("{}[]\",:\\ 01an");
		for (int changes = random.nextInt(3); changes > 0; changes--) {
			envelope[random.nextInt(envelope.length)] = others[random.nextInt(others.length)];
		}
		return envelope;
	}

	private @Nullable JsonNode tree(byte[] envelope) {
		try {
			return this.mapper.readTree(envelope);
		}
		catch (JacksonException ex) {
			return null;
		}
	}

	@Test
	void anUnreadableOneSaysSo() {
		assertThatExceptionOfType(EnvelopeException.class).isThrownBy(() -> this.codec.read(utf8(BEGINNING + "}")))
			.withMessageStartingWith("The envelope cannot be read");
		assertThatExceptionOfType(EnvelopeException.class)
			.isThrownBy(() -> this.codec.read(utf8("{\"sentAt\":1,\"v\":2,\"payload\":1}")))
			.withMessageContaining("it was sent by a newer Redelay");
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static String text(byte[] envelope) {
		return new String(envelope, StandardCharsets.UTF_8);
	}

}
