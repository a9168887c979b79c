package io.redelay.queue.message;

import java.nio.charset.StandardCharsets;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link JsonScan}.
 */
class JsonScanTests {

	private static final String SAMPLE = "{\"n\":[0,-1,2.50,1e9,-3.1E-2,10],\"t\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9 é€😀\","
			+ "\"o\":{ \"a\" : {} ,\"b\":[],\"c\":[ true , false,null ]},\"\":\"\"}";

	private final JsonMapper mapper = EnvelopeFormat.mapper(EnvelopeFormat.MAX_DEPTH);

	@ParameterizedTest
	@ValueSource(strings = { "0", "-0.5e+3", "\"\"", "true", "false", "null", "{}", "[]", " [ ] ", "{\"a\":[{}]}",
			"\"\\ud83d\\ude00\"", SAMPLE })
	void recognizesJson(String json) {
		assertThat(isJson(bytes(json))).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "[", "]", "{", "[1", "[1,]", "[,1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
			"01", "1.", ".5", "+1", "-", "1e", "tru", "nul", "truex", "1 2", "\"", "\"\\x\"", "\"\\u12g4\"", "\"\\u12",
			"\"\t\"", "[1}", "{\"a\":1]", "NaN", "// \n1" })
	void recognizesNothingElse(String text) {
		assertThat(isJson(bytes(text))).isFalse();
	}

	@Test
	void whatNoListenerCouldReadIsNotRecognized() {
		String deep = "[".repeat(EnvelopeFormat.MAX_DEPTH) + "]".repeat(EnvelopeFormat.MAX_DEPTH);
		assertThat(isJson(bytes(deep))).isTrue();
		assertThat(isJson(bytes("[" + deep + "]"))).isFalse();
		assertThat(isJson(bytes("1".repeat(EnvelopeFormat.MAX_NUMBER_LENGTH + 1)))).isFalse();
		assertThat(isJson(bytes("{\"" + "n".repeat(EnvelopeFormat.MAX_NAME_LENGTH + 1) + "\":1}"))).isFalse();
	}

	@Test
	void bytesThatAreNoUtf8AreNotRecognized() {
		for (int[] wrong : new int[][] { { 0xFF }, { 0x80 }, { 0xC0, 0x80 }, { 0xC3 }, { 0xE0, 0x80, 0x80 },
				{ 0xED, 0xA0, 0x80 }, { 0xF0, 0x80, 0x80, 0x80 }, { 0xF4, 0x90, 0x80, 0x80 }, { 0xE2, 0x82 } }) {
			byte[] json = bytes("\"....\"");
			for (int i = 0; i < wrong.length; i++) {
				json[i + 1] = (byte) wrong[i];
			}
			assertThat(isJson(json)).isFalse();
		}
		assertThat(isJson(new byte[] { '1', (byte) 0xFF })).isFalse();
	}

	@Test
	void seesEachCharacterOfALongString() {
		for (int at = 1; at < 60; at++) {
			for (int character = 0; character < 256; character++) {
				byte[] json = bytes("\"" + "x".repeat(60) + "\"");
				json[at] = (byte) character;
				assertThat(isJson(json)).isEqualTo(isRead(json));
			}
		}
	}

	@Test
	void whatItRecognizesAParserReads() {
		Random random = new Random(29);
		byte[] sample = bytes(SAMPLE);
		for (int i = 0; i < 50_000; i++) {
			byte[] changed = sample.clone();
			for (int n = random.nextInt(3); n >= 0; n--) {
				int at = random.nextInt(changed.length);
				changed[at] = random.nextBoolean() ? sample[random.nextInt(sample.length)] : (byte) random.nextInt(256);
			}
			if (isJson(changed)) {
				assertThat(isRead(changed)).as(new String(changed, StandardCharsets.UTF_8)).isTrue();
			}
		}
	}

	private boolean isRead(byte[] json) {
		try (JsonParser parser = this.mapper.createParser(json)) {
			parser.nextToken();
			parser.skipChildren();
			return parser.nextToken() == null;
		}
		catch (JacksonException ex) {
			return false;
		}
	}

	private static boolean isJson(byte[] json) {
		return new JsonScan(json).isJson();
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
