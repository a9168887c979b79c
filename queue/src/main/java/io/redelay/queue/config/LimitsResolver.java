package io.redelay.queue.config;

import java.util.function.Function;

import io.redelay.queue.QueueListener;
import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.message.ClaimLimits;
import org.jspecify.annotations.Nullable;

/**
 * Resolves how many messages of a queue all instances claim together at most.
 */
final class LimitsResolver {

	private final AttributeResolver attributes;

	private final ListenerDefaults defaults;

	LimitsResolver(AttributeResolver attributes, ListenerDefaults defaults) {
		this.attributes = attributes;
		this.defaults = defaults;
	}

	ClaimLimits resolve(QueueListenerEndpoint endpoint, String queue) {
		QueueListener annotation = endpoint.annotation();
		RateLimit rate = rate(endpoint, queue, "rateLimit", annotation.rateLimit(),
				(values) -> values.limits().rateLimit());
		ConfiguredValue<Integer> maxInFlight = number(endpoint, queue, "maxInFlight", annotation.maxInFlight(),
				(values) -> values.limits().maxInFlight());
		RateLimit keyRate = rate(endpoint, queue, "keyRateLimit", annotation.keyRateLimit(),
				(values) -> values.limits().keyRateLimit());
		ConfiguredValue<Integer> keyMaxInFlight = number(endpoint, queue, "keyMaxInFlight", annotation.keyMaxInFlight(),
				(values) -> values.limits().keyMaxInFlight());
		ClaimLimits.Shared shared = shared(endpoint, queue);
		return ConfiguredValue.checked(endpoint,
				() -> new ClaimLimits(rate, maxInFlight.value(), keyRate, keyMaxInFlight.value(), shared), maxInFlight,
				keyMaxInFlight);
	}

	private @Nullable RateLimit rate(QueueListenerEndpoint endpoint, String queue, String attribute, String value,
			Function<ListenerValues, @Nullable String> property) {
		ConfiguredValue<String> rate = this.defaults.first(queue, attribute,
				this.attributes.text(endpoint, attribute, value), property);
		String text = rate.value();
		if (text == null) {
			return null;
		}
		try {
			return RateLimit.parse(text);
		}
		catch (IllegalArgumentException ex) {
			throw endpoint.invalid(rate.attribute(), String.valueOf(ex.getMessage()), "Write " + RateLimit.FORM);
		}
	}

	private ConfiguredValue<Integer> number(QueueListenerEndpoint endpoint, String queue, String attribute,
			String value, Function<ListenerValues, @Nullable Integer> property) {
		return this.defaults.first(queue, attribute, this.attributes.number(endpoint, attribute, value), property);
	}

	private ClaimLimits.@Nullable Shared shared(QueueListenerEndpoint endpoint, String queue) {
		ConfiguredValue<String> name = this.defaults.first(queue, "sharedLimit",
				this.attributes.text(endpoint, "sharedLimit", endpoint.annotation().sharedLimit()),
				(values) -> values.limits().sharedLimit());
		if (name.value() == null) {
			return null;
		}
		ClaimLimits.Shared shared = this.defaults.sharedLimits().get(name.value());
		if (shared == null) {
			String known = this.defaults.sharedLimits().isEmpty() ? "there is none"
					: "there are " + this.defaults.sharedLimits().keySet();
			throw endpoint.invalid(name.attribute(), "no limit named '" + name.value() + "' is configured: " + known,
					"Set redelay.queue.limits." + name.value() + ".rate or redelay.queue.limits." + name.value()
							+ ".max-in-flight");
		}
		return shared;
	}

}
