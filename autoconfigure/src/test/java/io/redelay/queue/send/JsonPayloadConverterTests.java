package io.redelay.queue.send;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConversionException;
import org.springframework.messaging.converter.SimpleMessageConverter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for {@link JsonPayloadConverter}.
 */
class JsonPayloadConverterTests {

	private final JsonPayloadConverter converter = new JsonPayloadConverter(JsonMapper.builder().build());

	@Test
	void givesWhatAMessageWouldHave() {
		for (Object payload : List.of("grüße", new byte[] { 1, 2 }, 7, new Order(7, "ü", Instant.EPOCH),
				Map.of("a", List.of(1)), List.of())) {
			ConvertedPayload expected = ConvertedPayload
				.of(this.converter.toMessage(payload, new MessageHeaders(Map.of())));
			ConvertedPayload converted = this.converter.convert(payload);
			assertThat(converted.contentType()).isEqualTo(expected.contentType());
			assertThat(converted.bytes()).isEqualTo(expected.bytes());
		}
	}

	@Test
	void failsAsAMessageWould() {
		Object payload = new Unwritable();
		Throwable expected = catchThrowable(() -> this.converter.toMessage(payload, new MessageHeaders(Map.of())));
		assertThatExceptionOfType(MessageConversionException.class).isThrownBy(() -> this.converter.convert(payload))
			.withMessage(expected.getMessage());
	}

	@Test
	void isNotOriginalOnceAConverterIsAdded() {
		assertThat(this.converter.isOriginal()).isTrue();
		this.converter.getConverters().add(0, new SimpleMessageConverter());
		assertThat(this.converter.isOriginal()).isFalse();
	}

	record Order(int number, String name, Instant time) {

	}

	static class Unwritable {

		public String getName() {
			throw new IllegalStateException("no name");
		}

	}

}
