package io.redelay.queue.config;

import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.redelay.queue.AckMode;
import io.redelay.queue.QueueListener;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.handle.QueueOrder;
import io.redelay.queue.listener.DeliveryInterceptor;
import io.redelay.queue.listener.GlobalInterceptor;
import io.redelay.queue.message.ClaimLimits;
import org.jspecify.annotations.Nullable;

/**
 * Determines the settings of a container: those that the configuration has for the queue,
 * then those of the annotation, then those that the configuration has for all listeners,
 * then the defaults.
 *
 * @param attributes the attributes of the listener
 * @param defaults the configured settings
 * @param instanceGroups creates the name of a further group of this instance, for a topic
 */
record ContainerSettingsResolver(ListenerAttributes attributes, ListenerDefaults defaults,
		UnaryOperator<String> instanceGroups) {

	private static final Pattern CONCURRENCY = Pattern.compile("([1-9]\\d{0,5})(?:\\s*-\\s*([1-9]\\d{0,5}))?");

	ContainerSettings resolve(ListenerValues ofAnnotation, boolean batch) {
		List<String> queues = queues();
		List<DeclaredValues> declared = queues.stream()
			.map((queue) -> new DeclaredValues(this.attributes, queue, ofAnnotation, this.defaults))
			.toList();
		Range concurrency = concurrency(first(declared, "concurrency", (values) -> values.container().concurrency()));
		ConfiguredValue<Integer> prefetch = first(declared, "prefetch", (values) -> values.container().prefetch());
		ConfiguredValue<Integer> batchSize = first(declared, "batchSize", (values) -> values.container().batchSize());
		ConfiguredValue<Duration> batchTimeout = first(declared, "batchTimeout",
				(values) -> values.container().batchTimeout());
		ConfiguredValue<Boolean> autoStartup = first(declared, "autoStartup",
				(values) -> values.container().autoStartup());
		QueueListener annotation = this.attributes.annotation();
		if (!batch && (!annotation.batchSize().isEmpty() || !annotation.batchTimeout().isEmpty())) {
			throw this.attributes.invalid(annotation.batchSize().isEmpty() ? "batchTimeout" : "batchSize",
					"the method does not take batches",
					"Give the method a java.util.List parameter, or leave the attribute out");
		}
		Map<String, ContainerSettings.QueueSettings> settings = new LinkedHashMap<>();
		QueueSettingsResolver resolver = new QueueSettingsResolver(this.attributes, deadLetters());
		declared.forEach((each) -> settings.put(each.queue(), resolver.resolve(each)));
		if (annotation.ackMode() == AckMode.BEFORE_HANDLING) {
			settings.forEach((queue, each) -> refuseBeforeHandling(queue, each));
			refuseReset(ofAnnotation);
		}
		boolean limited = settings.values().stream().anyMatch((each) -> each.limits().isLimited());
		Integer prefetched = (limited && prefetch.isOfAll()) ? null : prefetch.value();
		List<DeliveryInterceptor> interceptors = interceptors();
		QueueOrder order = new QueueOrderResolver(this.attributes, this.defaults).resolve(queues);
		return this.attributes.checked(() -> new ContainerSettings(this.attributes.endpoint().id(), settings,
				new ContainerSettings.Concurrency(concurrency.least(), concurrency.most(), prefetched),
				annotation.ackMode(),
				new ContainerSettings.Batch(batch ? batchSize.or(10) : 1, batchTimeout.or(Duration.ZERO)),
				autoStartup.or(true), interceptors, order), prefetch, batchSize, batchTimeout);
	}

	private Range concurrency(ConfiguredValue<String> concurrency) {
		String text = concurrency.or("8");
		Matcher range = CONCURRENCY.matcher(text);
		if (!range.matches()) {
			throw this.attributes.invalid(concurrency.attribute(), "'" + text + "' is not a number of handlers",
					"Write a number from 1 like 8, or a range like 1-16");
		}
		int min = Integer.parseInt(range.group(1));
		int max = (range.group(2) != null) ? Integer.parseInt(range.group(2)) : min;
		if (max < min) {
			throw this.attributes.invalid(concurrency.attribute(), "the range '" + text + "' ends before it begins",
					"Write the smaller number first, as in 1-16");
		}
		return new Range(min, max);
	}

	/**
	 * Returns the global interceptors, then those that the annotation names.
	 */
	private List<DeliveryInterceptor> interceptors() {
		Set<DeliveryInterceptor> found = Collections.newSetFromMap(new IdentityHashMap<>());
		Stream<DeliveryInterceptor> named = this.attributes
			.texts("interceptors", this.attributes.annotation().interceptors())
			.stream()
			.map((name) -> this.attributes.bean("interceptors", name, DeliveryInterceptor.class));
		return Stream
			.concat(this.attributes.markedBeans(DeliveryInterceptor.class, GlobalInterceptor.class).stream(), named)
			.filter(found::add)
			.toList();
	}

	/**
	 * A setting that lasts until the acknowledgement would end before the handling.
	 */
	private void refuseBeforeHandling(String queue, ContainerSettings.QueueSettings settings) {
		ClaimLimits limits = settings.limits();
		ClaimLimits.Shared shared = limits.shared();
		boolean shares = shared != null && shared.maxInFlight() != null;
		if (settings.idempotency() != null) {
			throw this.attributes.invalid("ackMode",
					"the queue '" + queue + "' has an idempotencyKey, and with BEFORE_HANDLING a message is done"
							+ " before it is known whether its handling succeeded",
					"Leave the idempotencyKey out, or set ackMode to AUTO");
		}
		if (limits.maxInFlight() != null || limits.keyMaxInFlight() != null || shares) {
			throw this.attributes.invalid("ackMode",
					"the queue '" + queue + "' limits how many messages are in hand at the same time, and with"
							+ " BEFORE_HANDLING none is in hand while it is handled",
					"Leave " + ((limits.maxInFlight() != null) ? "maxInFlight"
							: shares ? "the sharedLimit" : "keyMaxInFlight") + " out, or set ackMode to AUTO");
		}
	}

	/**
	 * Refused only if the annotation sets it: a property may be for other listeners.
	 */
	private void refuseReset(ListenerValues ofAnnotation) {
		if (Boolean.TRUE.equals(ofAnnotation.handling().resetAttemptsOnProgress())) {
			throw this.attributes.invalid("resetAttemptsOnProgress",
					"with BEFORE_HANDLING, a message is delivered once, and nothing is kept of what its handler saves",
					"Leave resetAttemptsOnProgress out, or set ackMode to AUTO");
		}
	}

	private DeadLetterResolver deadLetters() {
		return new DeadLetterResolver(this.attributes, this.defaults.deadLetters());
	}

	private List<String> queues() {
		String group = new TopicResolver(this.attributes, this.instanceGroups).queue();
		if (group != null) {
			return List.of(group);
		}
		String deadLetters = deadLetters().queue();
		if (deadLetters != null) {
			return List.of(deadLetters);
		}
		List<String> queues = this.attributes.texts("queues", this.attributes.annotation().queues());
		if (queues.isEmpty()) {
			throw this.attributes.invalid("queues", "no queue is named",
					"Name at least one, as in @QueueListener(\"orders\")");
		}
		queues.forEach((queue) -> this.attributes.checkedName("queues", "queue", queue));
		return queues.stream().distinct().toList();
	}

	/**
	 * Returns a value that holds for the whole container: its queues must not declare
	 * different ones.
	 */
	private static <T> ConfiguredValue<T> first(List<DeclaredValues> declared, String attribute,
			Function<ListenerValues, @Nullable T> property) {
		List<DeclaredValues> ofQueues = declared.stream()
			.filter((each) -> property.apply(each.ofQueue()) != null)
			.toList();
		List<T> values = ofQueues.stream().map(DeclaredValues::ofQueue).map(property).distinct().toList();
		if (values.size() > 1) {
			throw declared.get(0)
				.attributes()
				.invalid("queues",
						"the configuration of the queues " + declared.stream().map(DeclaredValues::queue).toList()
								+ " says different things of '" + ConfiguredValue.property(attribute) + "': " + values,
						"Say the same under redelay.queue.queues for each, or give each queue a listener of its own");
		}
		return (ofQueues.isEmpty() ? declared : ofQueues).get(0).first(attribute, property);
	}

	/**
	 * How many handlers run at the same time.
	 */
	private record Range(int least, int most) {
	}

}
