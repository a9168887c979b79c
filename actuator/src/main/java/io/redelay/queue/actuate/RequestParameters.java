package io.redelay.queue.actuate;

import java.lang.annotation.Annotation;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.ParameterMappingException;
import org.springframework.boot.actuate.endpoint.invoke.ParameterValueMapper;

/**
 * The parameters of a request to {@link QueuesWebExtension}, those of the query and of
 * the body, as text.
 *
 * @since 0.1.0
 */
record RequestParameters(Map<String, String> values) {

	private static final List<String> NAMES = List.of("page", "size", "name", "state", "id", "tag", "header", "field",
			"type", "reason", "exception", "text", "sentBefore", "sentAfter", "dueBefore", "dueAfter", "olderThan",
			"minFailures", "cursor", "limit", "action", "perSecond", "delay", "due", "payload", "attempts", "failures",
			"priority", "confirm", "rateLimit", "maxInFlight", "keyRateLimit", "keyMaxInFlight", "orderingKeyMaxLength",
			"group", "since", "span", "zone", "spread", "q", "by", "claim");

	RequestParameters {
		values = Map.copyOf(values);
	}

	/**
	 * Reads the parameters of a request.
	 * @param arguments all that the request has, by name; other names are ignored
	 * @param mapper turns a value into text
	 * @return the parameters
	 * @throws ParameterMappingException if a value cannot be text
	 */
	static RequestParameters of(Map<String, ? extends @Nullable Object> arguments, ParameterValueMapper mapper) {
		Map<String, String> values = new HashMap<>();
		for (String name : NAMES) {
			Object value = arguments.get(name);
			if (value != null) {
				Object text = mapper.mapParameterValue(new Text(name), value);
				if (text != null) {
					values.put(name, text.toString());
				}
			}
		}
		return new RequestParameters(values);
	}

	@Nullable String get(String name) {
		return this.values.get(name);
	}

	@Nullable String text(String name) {
		return Parameters.text(name, get(name));
	}

	@Nullable Instant instant(String name) {
		return Parameters.instant(name, get(name));
	}

	@Nullable Duration duration(String name) {
		return Parameters.duration(name, get(name));
	}

	/**
	 * A number, or {@code null} if there is none.
	 */
	@Nullable Integer number(String name, int least, int most) {
		return (get(name) != null) ? Parameters.number(name, get(name), least, most, least) : null;
	}

	/**
	 * The parameters without some of them.
	 */
	RequestParameters without(String... names) {
		Map<String, String> left = new HashMap<>(this.values);
		left.keySet().removeAll(List.of(names));
		return new RequestParameters(left);
	}

	/**
	 * Returns the names only: values may be secret.
	 */
	@Override
	public String toString() {
		return "RequestParameters" + this.values.keySet().stream().sorted().toList();
	}

	private record Text(String name) implements OperationParameter {

		@Override
		public String getName() {
			return this.name;
		}

		@Override
		public Class<?> getType() {
			return String.class;
		}

		@Override
		public boolean isMandatory() {
			return false;
		}

		@Override
		public <T extends Annotation> @Nullable T getAnnotation(Class<T> annotation) {
			return null;
		}

		@Override
		public String toString() {
			return this.name + " of type " + String.class.getName();
		}

	}

}
