package io.redelay.samples.shop.web;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link DurationDeserializer}.
 */
class DurationDeserializerTests {

	private final JsonMapper mapper = JsonMapper.builder()
		.addModule(new SimpleModule().addDeserializer(Duration.class, new DurationDeserializer()))
		.build();

	@ParameterizedTest
	@CsvSource({ "PT3S,PT3S", "PT0.25S,PT0.25S", "3s,PT3S", "250ms,PT0.25S", "30m,PT30M", "3,PT3S" })
	void readsText(String text, Duration expected) {
		assertThat(this.mapper.readValue('"' + text + '"', Duration.class)).isEqualTo(expected);
	}

	@Test
	void readsNumberAsSeconds() {
		assertThat(this.mapper.readValue("3", Duration.class)).isEqualTo(Duration.ofSeconds(3));
	}

	@ParameterizedTest
	@ValueSource(strings = { "\"soon\"", "\"\"", "\"3 moons\"", "\"99999999999999999999d\"", "true", "{}", "[3]" })
	void refusesAnythingElse(String json) {
		assertThatExceptionOfType(JacksonException.class).isThrownBy(() -> this.mapper.readValue(json, Duration.class));
	}

}
