package io.redelay.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.redelay.log.PlainLog;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.limits.GroupName;
import org.apache.commons.logging.Log;

import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;

/**
 * Reports, once at startup, properties of single queues that are meant for listeners if
 * this application has no listener of the queue: most likely its name is spelled
 * differently there.
 */
final class UnusedQueueProperties implements ApplicationListener<ContextRefreshedEvent> {

	private static final Log logger = PlainLog.of(UnusedQueueProperties.class);

	private static final QueueListenerProperties.Backoff NO_BACKOFF = new QueueListenerProperties.Backoff(null, null,
			null, null, null);

	private final NamedQueueProperties properties;

	private final QueueListenerEndpointRegistry registry;

	private boolean reported;

	UnusedQueueProperties(NamedQueueProperties properties, QueueListenerEndpointRegistry registry) {
		this.properties = properties;
		this.registry = registry;
	}

	@Override
	public void onApplicationEvent(ContextRefreshedEvent event) {
		if (this.reported) {
			return;
		}
		this.reported = true;
		if (this.properties.queues().isEmpty() && this.properties.topics().isEmpty()) {
			return;
		}
		Set<String> listenedTo = this.registry.getContainers()
			.stream()
			.flatMap((container) -> container.getSettings().queues().keySet().stream())
			.collect(Collectors.toCollection(TreeSet::new));
		this.properties.queues().forEach(this::logUnusedWeight);
		this.properties.topics().forEach((topic, each) -> logUnusedFilters(topic, each, listenedTo));
		for (Map.Entry<String, SingleQueueProperties> queue : this.properties.queues().entrySet()) {
			List<String> unused = listenerProperties(queue.getValue());
			if (!unused.isEmpty() && !listenedTo.contains(queue.getKey())) {
				logger.warn("'redelay.queue.queues." + queue.getKey() + "' sets " + String.join(", ", unused)
						+ ", which nothing reads: this application has no @QueueListener of the queue '"
						+ queue.getKey() + "'. "
						+ (listenedTo.isEmpty() ? "It has none at all" : "It listens to " + listenedTo)
						+ ". If it receives from the queue or registers a listener of it later, they count from then on");
			}
		}
	}

	private void logUnusedWeight(String queue, SingleQueueProperties properties) {
		boolean read = this.registry.getContainers()
			.stream()
			.map((container) -> container.getSettings().order())
			.anyMatch((order) -> order.queues().contains(queue) && order.queues().size() > 1 && !order.strict());
		if (properties.listener().weight() != null && !read) {
			logger.warn("'redelay.queue.queues." + queue + "' sets a weight of " + properties.listener().weight()
					+ ", which nothing reads: no listener of this application has the queue and others that take turns"
					+ " with it. Leave it out, or name the queue with others in one @QueueListener");
		}
	}

	private static void logUnusedFilters(String topic, TopicProperties properties, Set<String> listenedTo) {
		properties.groups().forEach((group, each) -> {
			if (!each.filter().isEmpty() && !listenedTo.contains(GroupName.of(topic, group))) {
				logger.warn("'redelay.queue.topics." + topic + ".groups." + group + "' sets a filter, which nothing"
						+ " declares: this application has no @QueueListener of the group '" + group
						+ "' of the topic '" + topic + "'. If it registers one later, the filter counts from then on");
			}
		});
	}

	private static List<String> listenerProperties(SingleQueueProperties queue) {
		SingleQueueProperties.Listener listener = queue.listener();
		List<String> names = new ArrayList<>();
		addIf(names, "concurrency", listener.container().concurrency() != null);
		addIf(names, "prefetch", listener.container().prefetch() != null);
		addIf(names, "lease-time", listener.container().leaseTime() != null);
		addIf(names, "max-handling-time", listener.handling().maxHandlingTime() != null);
		addIf(names, "max-attempts", listener.handling().maxAttempts() != null);
		addIf(names, "backoff", !listener.handling().backoff().equals(NO_BACKOFF));
		addIf(names, "on-conversion-failure", listener.handling().onConversionFailure() != null);
		addIf(names, "reset-attempts-on-progress", listener.handling().resetAttemptsOnProgress() != null);
		addIf(names, "idempotency-key", listener.idempotency().idempotencyKey() != null);
		addIf(names, "idempotency-window", listener.idempotency().idempotencyWindow() != null);
		addIf(names, "cancellation", listener.handling().cancellation() != null);
		addIf(names, "error-handler", listener.handling().errorHandler() != null);
		addIf(names, "filter", listener.handling().filter() != null);
		addIf(names, "batch-size", listener.container().batchSize() != null);
		addIf(names, "batch-timeout", listener.container().batchTimeout() != null);
		addIf(names, "auto-startup", listener.container().autoStartup() != null);
		addIf(names, "rate-limit", listener.limits().rateLimit() != null);
		addIf(names, "max-in-flight", listener.limits().maxInFlight() != null);
		addIf(names, "key-rate-limit", listener.limits().keyRateLimit() != null);
		addIf(names, "key-max-in-flight", listener.limits().keyMaxInFlight() != null);
		addIf(names, "shared-limit", listener.limits().sharedLimit() != null);
		addIf(names, "dead-letter-queue", queue.deadLetterQueue() != null);
		addIf(names, "dead-letters", queue.deadLetters().maxCount() != null || queue.deadLetters().maxAge() != null);
		addIf(names, "dead-letters.redrive", !queue.deadLetters().redrive().isNothing());
		return names;
	}

	private static void addIf(List<String> names, String name, boolean set) {
		if (set) {
			names.add(name);
		}
	}

}
