package io.redelay.queue.config;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.queue.AckMode;
import io.redelay.queue.QueueListener;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.handle.QueueOrder;
import io.redelay.queue.limits.QueueName;
import io.redelay.queue.listener.DeliveryInterceptor;
import io.redelay.queue.message.ClaimLimits;
import org.jspecify.annotations.Nullable;

/**
 * Determines the settings of a container: those that the configuration has for the queue,
 * then those of the annotation, then those that the configuration has for all listeners,
 * then the defaults.
 */
final class ContainerSettingsResolver {

	private static final Pattern CONCURRENCY = Pattern.compile("([1-9]\\d{0,5})(?:\\s*-\\s*([1-9]\\d{0,5}))?");

	private final AttributeResolver attributes;

	private final ListenerDefaults defaults;

	private final QueueSettingsResolver queues;

	private final InterceptorResolver interceptors;

	private final DeadLetterResolver deadLetters;

	private final TopicResolver topics;

	private final QueueOrderResolver orders;

	ContainerSettingsResolver(AttributeResolver attributes, ListenerDefaults defaults, ListenerBeans beans,
			UnaryOperator<String> instanceGroups) {
		this.attributes = attributes;
		this.topics = new TopicResolver(attributes, instanceGroups);
		this.orders = new QueueOrderResolver(attributes, defaults);
		this.defaults = defaults;
		this.deadLetters = new DeadLetterResolver(attributes, defaults.deadLetters());
		this.queues = new QueueSettingsResolver(attributes, defaults, beans, this.deadLetters);
		this.interceptors = new InterceptorResolver(attributes, beans);
	}

	ContainerSettings resolve(QueueListenerEndpoint endpoint, boolean batch) {
		QueueListener annotation = endpoint.annotation();
		List<String> queues = queues(endpoint);
		ConfiguredValue<String> concurrency = container(endpoint, queues, "concurrency",
				this.attributes.text(endpoint, "concurrency", annotation.concurrency()),
				(values) -> values.container().concurrency());
		Matcher range = CONCURRENCY.matcher(concurrency.or("8"));
		if (!range.matches()) {
			throw endpoint.invalid(concurrency.attribute(), "'" + concurrency.or("8") + "' is not a number of handlers",
					"Write a number from 1 like 8, or a range like 1-16");
		}
		int min = Integer.parseInt(range.group(1));
		int max = (range.group(2) != null) ? Integer.parseInt(range.group(2)) : min;
		if (max < min) {
			throw endpoint.invalid(concurrency.attribute(),
					"the range '" + concurrency.or("8") + "' ends before it begins",
					"Write the smaller number first, as in 1-16");
		}
		ConfiguredValue<Integer> prefetch = container(endpoint, queues, "prefetch",
				this.attributes.number(endpoint, "prefetch", annotation.prefetch()),
				(values) -> values.container().prefetch());
		ConfiguredValue<Integer> batchSize = container(endpoint, queues, "batchSize",
				this.attributes.number(endpoint, "batchSize", annotation.batchSize()),
				(values) -> values.container().batchSize());
		ConfiguredValue<Duration> batchTimeout = container(endpoint, queues, "batchTimeout",
				this.attributes.duration(endpoint, "batchTimeout", annotation.batchTimeout()),
				(values) -> values.container().batchTimeout());
		ConfiguredValue<Boolean> autoStartup = container(endpoint, queues, "autoStartup",
				this.attributes.flag(endpoint, "autoStartup", annotation.autoStartup()),
				(values) -> values.container().autoStartup());
		if (!batch && (!annotation.batchSize().isEmpty() || !annotation.batchTimeout().isEmpty())) {
			throw endpoint.invalid(annotation.batchSize().isEmpty() ? "batchTimeout" : "batchSize",
					"the method does not take batches",
					"Give the method a java.util.List parameter, or leave the attribute out");
		}
		Map<String, ContainerSettings.QueueSettings> settings = new LinkedHashMap<>();
		queues.forEach((queue) -> settings.put(queue, this.queues.resolve(endpoint, queue)));
		if (annotation.ackMode() == AckMode.BEFORE_HANDLING) {
			settings.forEach((queue, each) -> refuseBeforeHandling(endpoint, queue, each));
			refuseReset(endpoint);
		}
		boolean limited = settings.values().stream().anyMatch((each) -> each.limits().isLimited());
		Integer prefetched = (limited && prefetch.isOfAll()) ? null : prefetch.value();
		List<DeliveryInterceptor> interceptors = this.interceptors.resolve(endpoint);
		QueueOrder order = this.orders.resolve(endpoint, queues);
		return ConfiguredValue.checked(endpoint,
				() -> new ContainerSettings(endpoint.id(), settings, min, max, prefetched, annotation.ackMode(),
						batch ? batchSize.or(10) : 1, batchTimeout.or(Duration.ZERO), autoStartup.or(true),
						interceptors, order),
				prefetch, batchSize, batchTimeout);
	}

	/**
	 * A setting that lasts until the acknowledgement would end before the handling.
	 */
	private static void refuseBeforeHandling(QueueListenerEndpoint endpoint, String queue,
			ContainerSettings.QueueSettings settings) {
		ClaimLimits limits = settings.limits();
		ClaimLimits.Shared shared = limits.shared();
		boolean shares = shared != null && shared.maxInFlight() != null;
		if (settings.idempotency() != null) {
			throw endpoint.invalid("ackMode",
					"the queue '" + queue + "' has an idempotencyKey, and with BEFORE_HANDLING a message is done"
							+ " before it is known whether its handling succeeded",
					"Leave the idempotencyKey out, or set ackMode to AUTO");
		}
		if (limits.maxInFlight() != null || limits.keyMaxInFlight() != null || shares) {
			throw endpoint.invalid("ackMode",
					"the queue '" + queue + "' limits how many messages are in hand at the same time, and with"
							+ " BEFORE_HANDLING none is in hand while it is handled",
					"Leave " + ((limits.maxInFlight() != null) ? "maxInFlight"
							: shares ? "the sharedLimit" : "keyMaxInFlight") + " out, or set ackMode to AUTO");
		}
	}

	/**
	 * Refused only if the annotation sets it: a property may be for other listeners.
	 */
	private void refuseReset(QueueListenerEndpoint endpoint) {
		String value = endpoint.annotation().resetAttemptsOnProgress();
		if (Boolean.TRUE.equals(this.attributes.flag(endpoint, "resetAttemptsOnProgress", value))) {
			throw endpoint.invalid("resetAttemptsOnProgress",
					"with BEFORE_HANDLING, a message is delivered once, and nothing is kept of what its handler saves",
					"Leave resetAttemptsOnProgress out, or set ackMode to AUTO");
		}
	}

	private List<String> queues(QueueListenerEndpoint endpoint) {
		String group = this.topics.queue(endpoint);
		if (group != null) {
			return List.of(group);
		}
		String deadLetters = this.deadLetters.queue(endpoint);
		if (deadLetters != null) {
			return List.of(deadLetters);
		}
		List<String> queues = this.attributes.texts(endpoint, "queues", endpoint.annotation().queues());
		if (queues.isEmpty()) {
			throw endpoint.invalid("queues", "no queue is named",
					"Name at least one, as in @QueueListener(\"orders\")");
		}
		for (String queue : queues) {
			try {
				QueueName.check(queue);
			}
			catch (IllegalArgumentException ex) {
				throw endpoint.invalid("queues", "'" + queue + "' is not the name of a queue",
						"Begin with a letter or a digit, and use up to 128 letters, digits, '.', '_' and '-'");
			}
		}
		return queues.stream().distinct().toList();
	}

	/**
	 * Returns a value that holds for the whole container: its queues must not declare
	 * different ones.
	 */
	private <T> ConfiguredValue<T> container(QueueListenerEndpoint endpoint, List<String> queues, String attribute,
			@Nullable T ofAnnotation, Function<ListenerValues, @Nullable T> property) {
		List<T> ofQueues = queues.stream()
			.map(this.defaults::queue)
			.map(property)
			.filter(Objects::nonNull)
			.distinct()
			.toList();
		if (ofQueues.size() > 1) {
			throw endpoint.invalid("queues",
					"the configuration of the queues " + queues + " says different things of '"
							+ ConfiguredValue.property(attribute) + "': " + ofQueues,
					"Say the same under redelay.queue.queues for each, or give each queue a listener of its own");
		}
		String said = queues.stream()
			.filter((queue) -> property.apply(this.defaults.queue(queue)) != null)
			.findFirst()
			.orElse("");
		return ConfiguredValue.first(said, attribute, ofQueues.isEmpty() ? null : ofQueues.get(0), ofAnnotation,
				property.apply(this.defaults.listener()));
	}

}
