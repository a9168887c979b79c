package io.redelay.queue.config;

import java.time.Duration;
import java.util.List;

import io.redelay.queue.QueueErrorHandler;
import io.redelay.queue.QueueListener;
import io.redelay.queue.listener.ContainerSettings;
import io.redelay.queue.listener.RetryDelay;
import org.jspecify.annotations.Nullable;

/**
 * Works out what holds for one queue of a container.
 */
final class QueueSettingsResolver {

	private final AttributeResolver attributes;

	private final ListenerDefaults defaults;

	private final ListenerBeans beans;

	private final BackoffResolver backoffs;

	private final DeadLetterResolver deadLetters;

	QueueSettingsResolver(AttributeResolver attributes, ListenerDefaults defaults, ListenerBeans beans,
			DeadLetterResolver deadLetters) {
		this.attributes = attributes;
		this.defaults = defaults;
		this.beans = beans;
		this.backoffs = new BackoffResolver(attributes, defaults, beans);
		this.deadLetters = deadLetters;
	}

	ContainerSettings.QueueSettings resolve(QueueListenerEndpoint endpoint, String queue) {
		QueueListener annotation = endpoint.annotation();
		Duration leaseTime = this.defaults.first(queue,
				this.attributes.duration(endpoint, "leaseTime", annotation.leaseTime()), ListenerValues::leaseTime);
		Duration maxHandlingTime = this.defaults.first(queue,
				this.attributes.duration(endpoint, "maxHandlingTime", annotation.maxHandlingTime()),
				ListenerValues::maxHandlingTime);
		Integer maxAttempts = this.defaults.first(queue,
				this.attributes.number(endpoint, "maxAttempts", annotation.maxAttempts()), ListenerValues::maxAttempts);
		RetryDelay backoff = this.backoffs.resolve(endpoint, queue);
		QueueErrorHandler errorHandler = errorHandler(endpoint, queue);
		return ContainerSettingsResolver.checked(endpoint,
				() -> new ContainerSettings.QueueSettings((leaseTime != null) ? leaseTime : Duration.ofSeconds(30),
						maxHandlingTime, (maxAttempts != null) ? maxAttempts : 5, backoff,
						List.of(annotation.noRetryFor()), errorHandler, this.deadLetters.resolve(endpoint, queue)));
	}

	private @Nullable QueueErrorHandler errorHandler(QueueListenerEndpoint endpoint, String queue) {
		String name = this.defaults.first(queue,
				this.attributes.text(endpoint, "errorHandler", endpoint.annotation().errorHandler()),
				ListenerValues::errorHandler);
		return (name != null) ? this.beans.named(endpoint, "errorHandler", name, QueueErrorHandler.class)
				: this.beans.byDefault(QueueErrorHandler.DEFAULT_BEAN_NAME, QueueErrorHandler.class);
	}

}
