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
record AnnotationAttributes(ConfigurableListableBeanFactory beans, String place) {

	RunLimits limits(RecurringMessage annotation, @Nullable ZoneId zone) {
		Duration jitter = duration(annotation.jitter(), "jitter");
		return new RunLimits(instant(annotation.from(), zone, "from"), instant(annotation.until(), zone, "until"),
				number(annotation.maxRuns(), "maxRuns"), flag(annotation.runAtDeclaration(), "runAtDeclaration"),
				(jitter != null) ? jitter : Duration.ZERO);
	}

	MessageAttributes message(RecurringMessage annotation) {
		return new MessageAttributes(number(annotation.priority(), "priority"), headers(annotation.headers()),
				text(annotation.orderingKey(), "orderingKey"), text(annotation.fairnessKey(), "fairnessKey"),
				handling(annotation));
	}

	private MessageAttributes.Handling handling(RecurringMessage annotation) {
		return new MessageAttributes.Handling(number(annotation.maxAttempts(), "maxAttempts"),
				duration(annotation.timeToLive(), "timeToLive"), duration(annotation.deadline(), "deadline"),
				duration(annotation.maxHandlingTime(), "maxHandlingTime"),
				text(annotation.deadLetterQueue(), "deadLetterQueue"));
	}

	private Map<String, String> headers(String[] headers) {
		Map<String, String> all = new LinkedHashMap<>();
		for (String each : headers) {
			String header = String.valueOf(text(each, "headers"));
			int equals = header.indexOf('=');
			DeclarationReader.check(equals >= 1, this.place,
					"its attribute 'headers' has no name and value: '" + each + "'",
					"Name them as in headers = \"tenant=7\"");
			all.put(header.substring(0, equals).strip(), header.substring(equals + 1).strip());
		}
		return all;
	}

	private @Nullable Instant instant(String value, @Nullable ZoneId zone, String attribute) {
		String text = text(value, attribute);
		return (text != null) ? DeclarationReader.instant(text, zone, attribute, this.place) : null;
	}

	private boolean flag(String value, String attribute) {
		String text = text(value, attribute);
		DeclarationReader.check(text == null || text.equals("false") || text.equals("true"), this.place,
				"its attribute '" + attribute + "' is neither true nor false: '" + text + "'", "Name one of them");
		return "true".equals(text);
	}

	@Nullable Duration duration(String value, String attribute) {
		String text = text(value, attribute);
		return (text != null)
				? parsed(text, DurationFormatterUtils::detectAndParse, attribute, "a duration such as 15m") : null;
	}

	int number(String value, int byDefault, String attribute) {
		Integer number = number(value, attribute);
		return (number != null) ? number : byDefault;
	}

	private @Nullable Integer number(String value, String attribute) {
		String text = text(value, attribute);
		return (text != null) ? parsed(text, Integer::valueOf, attribute, "a number") : null;
	}

	private <T> T parsed(String text, Function<String, T> parser, String attribute, String kind) {
		try {
			return parser.apply(text);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidRecurringMessageException(this.place,
					"its attribute '" + attribute + "' is not " + kind + ": '" + text + "'", "Name " + kind, ex);
		}
	}

	@Nullable String text(String value, String attribute) {
		if (value.isEmpty()) {
			return null;
		}
		BeanExpressionResolver expressions = this.beans.getBeanExpressionResolver();
		String embedded = placeholders(value, attribute);
		try {
			Object evaluated = (expressions != null)
					? expressions.evaluate(embedded, new BeanExpressionContext(this.beans, null)) : embedded;
			String text = (evaluated != null) ? evaluated.toString().strip() : "";
			return text.isEmpty() ? null : text;
		}
		catch (RuntimeException ex) {
			throw new InvalidRecurringMessageException(
					this.place, "the expression in its attribute '" + attribute + "', '" + value
							+ "', cannot be evaluated: " + NestedExceptionUtils.getMostSpecificCause(ex).getMessage(),
					"Correct the expression", ex);
		}
	}

	private @Nullable String placeholders(String value, String attribute) {
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
		throw new InvalidRecurringMessageException(this.place,
				"its attribute '" + attribute + "', '" + value + "', has a placeholder for a property that is not set",
				"Set the property, or give a default as in ${name:default}", cause);
	}

}
