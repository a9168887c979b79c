package io.redelay.queue.config;

import java.time.Duration;
import java.util.List;

import io.redelay.queue.failure.BackOffDelay;
import io.redelay.queue.failure.RetryBackoff;
import io.redelay.queue.failure.RetryDelay;

import org.springframework.util.backoff.BackOff;

/**
 * Determines the backoff of a listener. The first place that declares any part of it
 * decides whether a bean or intervals are used; each interval comes from the first place
 * that declares it.
 */
record BackoffResolver(DeclaredValues declared) {

	RetryDelay resolve() {
		List<Place> places = List.of(
				new Place(this.declared.ofQueue().backoff(),
						ConfiguredValue.ofQueue(this.declared.queue(), "backoff.bean")),
				new Place(this.declared.ofAnnotation().backoff(), "backoff.bean"),
				new Place(this.declared.defaults().listener().backoff(), ConfiguredValue.ofAll("backoff.bean")));
		places.forEach((place) -> place.check(this.declared.attributes()));
		Place first = places.stream().filter(Place::saysSomething).findFirst().orElse(null);
		String bean = (first != null) ? first.values().bean() : null;
		return (first != null && bean != null)
				? new BackOffDelay(this.declared.attributes().bean(first.attribute(), bean, BackOff.class))
				: intervals();
	}

	private RetryBackoff intervals() {
		RetryBackoff defaults = RetryBackoff.DEFAULTS;
		ConfiguredValue<Duration> initialInterval = this.declared.first("initialInterval",
				(values) -> values.backoff().initialInterval());
		ConfiguredValue<Double> multiplier = this.declared.first("multiplier",
				(values) -> values.backoff().multiplier());
		ConfiguredValue<Duration> maxInterval = this.declared.first("maxInterval",
				(values) -> values.backoff().maxInterval());
		ConfiguredValue<Double> jitter = this.declared.first("jitter", (values) -> values.backoff().jitter());
		Duration initial = initialInterval.or(defaults.initialInterval());
		return this.declared.attributes()
			.checked(
					() -> new RetryBackoff(initial, multiplier.or(defaults.multiplier()),
							maxInterval.or(max(initial, defaults.maxInterval())), jitter.or(defaults.jitter())),
					initialInterval, multiplier, maxInterval, jitter);
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

		void check(ListenerAttributes attributes) {
			if (this.values.bean() != null && hasIntervals()) {
				throw attributes.invalid(this.attribute, "the bean '" + this.values.bean()
						+ "' says how long to wait, and so do initialInterval, multiplier, maxInterval or jitter",
						"Leave out the bean or the others");
			}
		}

	}

}
