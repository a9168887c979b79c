package io.redelay.queue.config;

import java.time.Duration;
import java.util.List;

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

	private final BackoffResolver backoffs;

	private final DeadLetterResolver deadLetters;

	private final IdempotencyResolver idempotency;

	private final GroupFilterResolver groupFilters;

	QueueSettingsResolver(AttributeResolver attributes, DeadLetterResolver deadLetters) {
		this.attributes = attributes;
		this.backoffs = new BackoffResolver(attributes);
		this.deadLetters = deadLetters;
		this.idempotency = new IdempotencyResolver(attributes);
		this.groupFilters = new GroupFilterResolver(attributes);
	}

	ContainerSettings.QueueSettings resolve(DeclaredValues declared) {
		QueueListenerEndpoint endpoint = declared.endpoint();
		ConfiguredValue<Duration> leaseTime = declared.first("leaseTime", (values) -> values.container().leaseTime());
		ConfiguredValue<Duration> maxHandlingTime = declared.first("maxHandlingTime",
				(values) -> values.handling().maxHandlingTime());
		ConfiguredValue<CancellationMode> cancellation = declared.first("cancellation",
				(values) -> values.handling().cancellation());
		ConfiguredValue<Integer> maxAttempts = declared.first("maxAttempts",
				(values) -> values.handling().maxAttempts());
		RetryDelay backoff = this.backoffs.resolve(declared);
		QueueErrorHandler errorHandler = errorHandler(declared);
		ClaimLimits limits = LimitsResolver.of(declared).resolve();
		IdempotencySettings keys = this.idempotency.resolve(declared);
		return ConfiguredValue.checked(endpoint,
				() -> new ContainerSettings.QueueSettings(leaseTime.or(ListenerDefaults.LEASE_TIME),
						maxHandlingTime.value(), retries(declared, maxAttempts, backoff), errorHandler,
						this.deadLetters.resolve(endpoint, declared.queue()), limits, keys,
						declared.defaults().retentions().get(declared.queue()),
						cancellation.or(CancellationMode.SIGNAL), this.groupFilters.resolve(declared),
						filter(declared)),
				leaseTime, maxHandlingTime, maxAttempts);
	}

	private static RetrySettings retries(DeclaredValues declared, ConfiguredValue<Integer> maxAttempts,
			RetryDelay backoff) {
		RetrySettings defaults = RetrySettings.DEFAULTS;
		ConfiguredValue<ConversionFailureAction> onConversionFailure = declared.first("onConversionFailure",
				(values) -> values.handling().onConversionFailure());
		ConfiguredValue<Boolean> resetAttempts = declared.first("resetAttemptsOnProgress",
				(values) -> values.handling().resetAttemptsOnProgress());
		return new RetrySettings(maxAttempts.or(defaults.maxAttempts()), backoff,
				List.of(declared.endpoint().annotation().noRetryFor()),
				onConversionFailure.or(defaults.onConversionFailure()), resetAttempts.or(defaults.resetsOnProgress()));
	}

	private @Nullable DeliveryFilter filter(DeclaredValues declared) {
		return named(declared, declared.first("filter", (values) -> values.handling().filter()), DeliveryFilter.class);
	}

	private @Nullable QueueErrorHandler errorHandler(DeclaredValues declared) {
		QueueErrorHandler named = named(declared,
				declared.first("errorHandler", (values) -> values.handling().errorHandler()), QueueErrorHandler.class);
		return (named != null) ? named
				: this.attributes.beanByDefault(QueueErrorHandler.DEFAULT_BEAN_NAME, QueueErrorHandler.class);
	}

	private <T> @Nullable T named(DeclaredValues declared, ConfiguredValue<String> bean, Class<T> type) {
		String name = bean.value();
		return (name != null) ? this.attributes.bean(declared.endpoint(), bean.attribute(), name, type) : null;
	}

}
