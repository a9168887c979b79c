package io.redelay.samples.shop.web;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.std.StdScalarDeserializer;

import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.jackson.JacksonComponent;

/**
 * Reads durations the way application.yml does: {@code "PT30M"}, {@code "30m"}, or a
 * number of seconds.
 */
@JacksonComponent
class DurationDeserializer extends StdScalarDeserializer<Duration> {

	DurationDeserializer() {
		super(Duration.class);
	}

	@Override
	public Duration deserialize(JsonParser parser, DeserializationContext context) {
		String text = parser.getString();
		try {
			return DurationStyle.detectAndParse(text, ChronoUnit.SECONDS);
		}
		catch (IllegalArgumentException | ArithmeticException ex) {
			return context.reportInputMismatch(this, "must be a duration like PT30M or 30m");
		}
	}

}
