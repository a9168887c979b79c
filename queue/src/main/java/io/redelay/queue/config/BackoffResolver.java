package io.redelay.queue.config;

import java.time.Duration;
import java.util.List;

import io.redelay.queue.Backoff;
import io.redelay.queue.failure.BackOffDelay;
import io.redelay.queue.failure.RetryBackoff;
import io.redelay.queue.failure.RetryDelay;
import org.jspecify.annotations.Nullable;

import org.springframework.util.backoff.BackOff;

/**
 * Determines the backoff of a listener. The first place that declares any part of it
 * decides whether a bean or intervals are used; each interval comes from the first place
 * that declares it.
 */
final class BackoffResolver {

	private final AttributeResolver attributes;

	private final ListenerDefaults defaults;

	private final ListenerBeans beans;

	BackoffResolver(AttributeResolver attributes, ListenerDefaults defaults, ListenerBeans beans) {
		this.attributes = attributes;
		this.defaults = defaults;
		this.beans = beans;
	}

	RetryDelay resolve(QueueListenerEndpoint endpoint, String queue) {
		ListenerValues.Backoff annotation = annotation(endpoint);
		List<Place> places = List.of(
				new Place(this.defaults.queue(queue).backoff(), ConfiguredValue.ofQueue(queue, "backoff.bean")),
				new Place(annotation, "backoff.bean"),
				new Place(this.defaults.listener().backoff(), ConfiguredValue.ofAll("backoff.bean")));
		places.forEach((place) -> place.check(endpoint));
		Place first = places.stream().filter(Place::saysSomething).findFirst().orElse(null);
		String bean = (first != null) ? first.values().bean() : null;
		if (first != null && bean != null) {
			return new BackOffDelay(this.beans.named(endpoint, first.attribute(), bean, BackOff.class));
		}
		return intervals(endpoint, queue, annotation);
	}

	private RetryBackoff intervals(QueueListenerEndpoint endpoint, String queue, ListenerValues.Backoff annotation) {
		RetryBackoff defaults = RetryBackoff.DEFAULTS;
		ConfiguredValue<Duration> initialInterval = this.defaults.first(queue, "initialInterval",
				annotation.initialInterval(), (values) -> values.backoff().initialInterval());
		ConfiguredValue<Double> multiplier = this.defaults.first(queue, "multiplier", annotation.multiplier(),
				(values) -> values.backoff().multiplier());
		ConfiguredValue<Duration> maxInterval = this.defaults.first(queue, "maxInterval", annotation.maxInterval(),
				(values) -> values.backoff().maxInterval());
		ConfiguredValue<Double> jitter = this.defaults.first(queue, "jitter", annotation.jitter(),
				(values) -> values.backoff().jitter());
		Duration initial = initialInterval.or(defaults.initialInterval());
		return ConfiguredValue.checked(endpoint,
				() -> new RetryBackoff(initial, multiplier.or(defaults.multiplier()),
						maxInterval.or(max(initial, defaults.maxInterval())), jitter.or(defaults.jitter())),
				initialInterval, multiplier, maxInterval, jitter);
	}

	private ListenerValues.Backoff annotation(QueueListenerEndpoint endpoint) {
		Backoff backoff = endpoint.annotation().backoff();
		return new ListenerValues.Backoff(
				this.attributes.duration(endpoint, "backoff.initialInterval", backoff.initialInterval()),
				this.attributes.fraction(endpoint, "backoff.multiplier", backoff.multiplier()),
				this.attributes.duration(endpoint, "backoff.maxInterval", backoff.maxInterval()),
				this.attributes.fraction(endpoint, "backoff.jitter", backoff.jitter()),
				this.attributes.text(endpoint, "backoff.bean", backoff.bean()));
	}

	private static Duration max(Duration one, Duration other) {
		return (one.compareTo(other) > 0) ? one : other;
	}

	/**
	 * A place where a backoff may be declared.
	 *
	 * @param values the values declared there
	 * @param attribute the name of the attribute for the bean there
	 */
	private record Place(ListenerValues.Backoff values, String attribute) {

		boolean hasIntervals() {
			return this.values.initialInterval() != null || this.values.multiplier() != null
					|| this.values.maxInterval() != null || this.values.jitter() != null;
		}

		boolean saysSomething() {
			return this.values.bean() != null || hasIntervals();
		}

		void check(QueueListenerEndpoint endpoint) {
			if (this.values.bean() != null && hasIntervals()) {
				throw endpoint.invalid(this.attribute, "the bean '" + this.values.bean()
						+ "' says how long to wait, and so do initialInterval, multiplier, maxInterval or jitter",
						"Leave out the bean or the others");
			}
		}

	}

}
