package io.redelay.queue.message;

import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link EnvelopeHead}.
 */
class EnvelopeHeadTests {

	@Test
	void findsTheKeyBehindOtherProperties() {
		assertThat(key("{\"sentAt\":17,\"v\":1,\"fairnessKey\":\"acme\",\"payload\":1}")).isEqualTo("acme");
		assertThat(key("{\"sentAt\":17,\"dueAt\":18,\"v\":1,\"id\":\"a\\\"b,\\\\\",\"dropExpired\":true,"
				+ "\"orderingKey\":\"o\",\"fairnessKey\":\"a\\\"c\",\"priority\":9,\"headers\":{},\"payload\":1}"))
			.isEqualTo("a\\\"c");
	}

	@Test
	void takesNoPropertyOfAPayloadForTheKey() {
		assertThat(key("{\"sentAt\":17,\"v\":1,\"payload\":{\"fairnessKey\":\"x\"}}")).isNull();
		assertThat(key("{\"v\":1,\"headers\":{\"fairnessKey\":\"x\"},\"payload\":1}")).isNull();
		assertThat(key("{\"v\":1,\"type\":\"text/plain\",\"payload\":\"\\\"fairnessKey\\\":\\\"x\\\"\"}")).isNull();
		assertThat(key("{\"v\":1,\"id\":\"fairnessKey\",\"payload\":1}")).isNull();
	}

	@Test
	void whatIsNoEnvelopeHasNone() {
		for (String text : new String[] { "", "{", "{\"", "{\"fairnessKey", "{\"fairnessKey\"", "{\"fairnessKey\":",
				"{\"fairnessKey\":\"a", "{\"fairnessKey\":\"a\\", "{\"a\":", "{\"a\":1", "[1,2]", "null" }) {
			assertThat(key(text)).as(text).isNull();
		}
	}

	@Test
	void findsTheMarkOfGatheredPayloads() {
		assertThat(isAggregate("{\"sentAt\":17,\"v\":1,\"id\":\"a\\\"b\",\"aggregate\":true,\"payload\":[1]}"))
			.isTrue();
		assertThat(isAggregate("{\"sentAt\":17,\"v\":1,\"aggregate\":false,\"payload\":[1]}")).isFalse();
		assertThat(isAggregate("{\"sentAt\":17,\"v\":1,\"id\":\"aggregate\",\"payload\":{\"aggregate\":true}}"))
			.isFalse();
		for (String text : new String[] { "", "{", "{\"aggregate", "{\"aggregate\"", "{\"aggregate\":", "true" }) {
			assertThat(isAggregate(text)).as(text).isFalse();
		}
	}

	private static boolean isAggregate(String envelope) {
		return new EnvelopeHead(envelope.getBytes(StandardCharsets.UTF_8)).isAggregate();
	}

	private static @Nullable String key(String envelope) {
		return new EnvelopeHead(envelope.getBytes(StandardCharsets.UTF_8)).fairnessKey();
	}

}
