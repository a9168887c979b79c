package io.redelay.queue.config;

import java.time.Duration;
import java.util.List;

import io.redelay.queue.QueueListener;
import io.redelay.queue.failure.RetryDelay;
import io.redelay.queue.failure.RetrySettings;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.idempotency.IdempotencySettings;
import io.redelay.queue.listener.ConversionFailureAction;
import io.redelay.queue.listener.DeliveryFilter;
import io.redelay.queue.listener.QueueErrorHandler;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.work.CancellationMode;
import org.jspecify.annotations.Nullable;

/**
 * Determines the settings of one queue of a container.
 */
final class QueueSettingsResolver {

	private final AttributeResolver attributes;

	private final ListenerDefaults defaults;

	private final ListenerBeans beans;

	private final BackoffResolver backoffs;

	private final DeadLetterResolver deadLetters;

	private final LimitsResolver limits;

	private final IdempotencyResolver idempotency;

	private final GroupFilterResolver groupFilters;

	QueueSettingsResolver(AttributeResolver attributes, ListenerDefaults defaults, ListenerBeans beans,
			DeadLetterResolver deadLetters) {
		this.attributes = attributes;
		this.defaults = defaults;
		this.beans = beans;
		this.backoffs = new BackoffResolver(attributes, defaults, beans);
		this.deadLetters = deadLetters;
		this.limits = new LimitsResolver(attributes, defaults);
		this.idempotency = new IdempotencyResolver(attributes, defaults);
		this.groupFilters = new GroupFilterResolver(attributes, defaults);
	}

	ContainerSettings.QueueSettings resolve(QueueListenerEndpoint endpoint, String queue) {
		QueueListener annotation = endpoint.annotation();
		ConfiguredValue<Duration> leaseTime = this.defaults.first(queue, "leaseTime",
				this.attributes.duration(endpoint, "leaseTime", annotation.leaseTime()),
				(values) -> values.container().leaseTime());
		ConfiguredValue<Duration> maxHandlingTime = this.defaults.first(queue, "maxHandlingTime",
				this.attributes.duration(endpoint, "maxHandlingTime", annotation.maxHandlingTime()),
				(values) -> values.handling().maxHandlingTime());
		ConfiguredValue<Integer> maxAttempts = this.defaults.first(queue, "maxAttempts",
				this.attributes.number(endpoint, "maxAttempts", annotation.maxAttempts()),
				(values) -> values.handling().maxAttempts());
		ConfiguredValue<ConversionFailureAction> onConversionFailure = this.defaults.first(
				queue, "onConversionFailure", this.attributes.constant(endpoint, "onConversionFailure",
						annotation.onConversionFailure(), ConversionFailureAction.class),
				(values) -> values.handling().onConversionFailure());
		ConfiguredValue<Boolean> resetAttempts = this.defaults.first(queue, "resetAttemptsOnProgress",
				this.attributes.flag(endpoint, "resetAttemptsOnProgress", annotation.resetAttemptsOnProgress()),
				(values) -> values.handling().resetAttemptsOnProgress());
		ConfiguredValue<CancellationMode> cancellation = this.defaults.first(queue, "cancellation",
				this.attributes.constant(endpoint, "cancellation", annotation.cancellation(), CancellationMode.class),
				(values) -> values.handling().cancellation());
		RetryDelay backoff = this.backoffs.resolve(endpoint, queue);
		QueueErrorHandler errorHandler = errorHandler(endpoint, queue);
		ClaimLimits limits = this.limits.resolve(endpoint, queue);
		IdempotencySettings keys = this.idempotency.resolve(endpoint, queue);
		return ConfiguredValue.checked(endpoint,
				() -> new ContainerSettings.QueueSettings(leaseTime.or(ListenerDefaults.LEASE_TIME),
						maxHandlingTime.value(),
						new RetrySettings(maxAttempts.or(RetrySettings.DEFAULTS.maxAttempts()), backoff,
								List.of(annotation.noRetryFor()),
								onConversionFailure.or(RetrySettings.DEFAULTS.onConversionFailure()),
								resetAttempts.or(RetrySettings.DEFAULTS.resetsOnProgress())),
						errorHandler, this.deadLetters.resolve(endpoint, queue), limits, keys,
						this.defaults.retentions().get(queue), cancellation.or(CancellationMode.SIGNAL),
						this.groupFilters.resolve(endpoint, queue), filter(endpoint, queue)),
				leaseTime, maxHandlingTime, maxAttempts);
	}

	private @Nullable DeliveryFilter filter(QueueListenerEndpoint endpoint, String queue) {
		ConfiguredValue<String> filter = this.defaults.first(queue, "filter",
				this.attributes.text(endpoint, "filter", endpoint.annotation().filter()),
				(values) -> values.handling().filter());
		String name = filter.value();
		return (name != null) ? this.beans.named(endpoint, filter.attribute(), name, DeliveryFilter.class) : null;
	}

	private @Nullable QueueErrorHandler errorHandler(QueueListenerEndpoint endpoint, String queue) {
		ConfiguredValue<String> handler = this.defaults.first(queue, "errorHandler",
				this.attributes.text(endpoint, "errorHandler", endpoint.annotation().errorHandler()),
				(values) -> values.handling().errorHandler());
		String name = handler.value();
		return (name != null) ? this.beans.named(endpoint, handler.attribute(), name, QueueErrorHandler.class)
				: this.beans.byDefault(QueueErrorHandler.DEFAULT_BEAN_NAME, QueueErrorHandler.class);
	}

}
