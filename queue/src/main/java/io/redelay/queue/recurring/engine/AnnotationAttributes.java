package io.redelay.queue.recurring.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

import io.redelay.queue.recurring.InvalidRecurringMessageException;
import io.redelay.queue.recurring.RecurringMessage;
import io.redelay.queue.recurring.RunLimits;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Reads the attributes of the annotation {@link RecurringMessage}.
 */
record AnnotationAttributes(ConfigurableListableBeanFactory beans) {

	RunLimits limits(RecurringMessage annotation, @Nullable ZoneId zone, String place) {
		Duration jitter = duration(annotation.jitter(), "jitter", place);
		return new RunLimits(instant(annotation.from(), zone, "from", place),
				instant(annotation.until(), zone, "until", place), number(annotation.maxRuns(), "maxRuns", place),
				flag(annotation.runAtDeclaration(), "runAtDeclaration", place),
				(jitter != null) ? jitter : Duration.ZERO);
	}

	MessageAttributes message(RecurringMessage annotation, String place) {
		return new MessageAttributes(number(annotation.priority(), "priority", place),
				number(annotation.maxAttempts(), "maxAttempts", place),
				duration(annotation.timeToLive(), "timeToLive", place),
				duration(annotation.deadline(), "deadline", place), headers(annotation.headers(), place),
				text(annotation.orderingKey(), "orderingKey", place),
				text(annotation.fairnessKey(), "fairnessKey", place),
				duration(annotation.maxHandlingTime(), "maxHandlingTime", place),
				text(annotation.deadLetterQueue(), "deadLetterQueue", place));
	}

	private Map<String, String> headers(String[] headers, String place) {
		Map<String, String> all = new LinkedHashMap<>();
		for (String each : headers) {
			String header = text(each, "headers", place);
			int equals = (header != null) ? header.indexOf('=') : -1;
			if (header == null || equals < 1) {
				throw new InvalidRecurringMessageException(place,
						"its attribute 'headers' has no name and value: '" + each + "'",
						"Name them as in headers = \"tenant=7\"", null);
			}
			all.put(header.substring(0, equals).strip(), header.substring(equals + 1).strip());
		}
		return all;
	}

	private @Nullable Instant instant(String value, @Nullable ZoneId zone, String attribute, String place) {
		String text = text(value, attribute, place);
		return (text != null) ? DeclarationReader.instant(text, zone, attribute, place) : null;
	}

	private boolean flag(String value, String attribute, String place) {
		String text = text(value, attribute, place);
		if (text == null || text.equals("false") || text.equals("true")) {
			return "true".equals(text);
		}
		throw new InvalidRecurringMessageException(place,
				"its attribute '" + attribute + "' is neither true nor false: '" + text + "'", "Name one of them",
				null);
	}

	@Nullable Duration duration(String value, String attribute, String place) {
		String text = text(value, attribute, place);
		return (text != null)
				? parsed(text, DurationFormatterUtils::detectAndParse, attribute, "a duration such as 15m", place)
				: null;
	}

	int number(String value, int byDefault, String attribute, String place) {
		Integer number = number(value, attribute, place);
		return (number != null) ? number : byDefault;
	}

	private @Nullable Integer number(String value, String attribute, String place) {
		String text = text(value, attribute, place);
		return (text != null) ? parsed(text, Integer::valueOf, attribute, "a number", place) : null;
	}

	private static <T> T parsed(String text, Function<String, T> parser, String attribute, String kind, String place) {
		try {
			return parser.apply(text);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidRecurringMessageException(place,
					"its attribute '" + attribute + "' is not " + kind + ": '" + text + "'", "Name " + kind, ex);
		}
	}

	@Nullable String text(String value, String attribute, String place) {
		if (value.isEmpty()) {
			return null;
		}
		BeanExpressionResolver expressions = this.beans.getBeanExpressionResolver();
		String embedded = placeholders(value, attribute, place);
		try {
			Object evaluated = (expressions != null)
					? expressions.evaluate(embedded, new BeanExpressionContext(this.beans, null)) : embedded;
			String text = (evaluated != null) ? evaluated.toString().strip() : "";
			return text.isEmpty() ? null : text;
		}
		catch (RuntimeException ex) {
			throw new InvalidRecurringMessageException(place, "the expression in its attribute '" + attribute + "', '"
					+ value + "', cannot be evaluated: " + NestedExceptionUtils.getMostSpecificCause(ex).getMessage(),
					"Correct the expression", ex);
		}
	}

	private @Nullable String placeholders(String value, String attribute, String place) {
		RuntimeException cause = null;
		try {
			String embedded = this.beans.resolveEmbeddedValue(value);
			if (embedded == null || !embedded.contains("${")) {
				return embedded;
			}
		}
		catch (IllegalArgumentException ex) {
			cause = ex;
		}
		throw new InvalidRecurringMessageException(place,
				"its attribute '" + attribute + "', '" + value + "', has a placeholder for a property that is not set",
				"Set the property, or give a default as in ${name:default}", cause);
	}

}
