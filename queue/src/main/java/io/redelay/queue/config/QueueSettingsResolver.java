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
record QueueSettingsResolver(ListenerAttributes attributes, DeadLetterResolver deadLetters) {

	ContainerSettings.QueueSettings resolve(DeclaredValues declared) {
		ConfiguredValue<Duration> leaseTime = declared.first("leaseTime", (values) -> values.container().leaseTime());
		ConfiguredValue<Duration> maxHandlingTime = declared.first("maxHandlingTime",
				(values) -> values.handling().maxHandlingTime());
		ConfiguredValue<CancellationMode> cancellation = declared.first("cancellation",
				(values) -> values.handling().cancellation());
		ConfiguredValue<Integer> maxAttempts = declared.first("maxAttempts",
				(values) -> values.handling().maxAttempts());
		RetryDelay backoff = new BackoffResolver(declared).resolve();
		QueueErrorHandler errorHandler = errorHandler(declared);
		ClaimLimits limits = LimitsResolver.of(declared).resolve();
		IdempotencySettings keys = new IdempotencyResolver(this.attributes).resolve(declared);
		return this.attributes.checked(
				() -> new ContainerSettings.QueueSettings(leaseTime.or(ListenerDefaults.LEASE_TIME),
						maxHandlingTime.value(),
						new ContainerSettings.FailureSettings(retries(declared, maxAttempts, backoff), errorHandler,
								this.deadLetters.resolve(declared.queue())),
						limits, keys, declared.defaults().retentions().get(declared.queue()),
						cancellation.or(CancellationMode.SIGNAL), new ContainerSettings.Filters(
								new GroupFilterResolver(this.attributes).resolve(declared), filter(declared))),
				leaseTime, maxHandlingTime, maxAttempts);
	}

	private RetrySettings retries(DeclaredValues declared, ConfiguredValue<Integer> maxAttempts, RetryDelay backoff) {
		RetrySettings defaults = RetrySettings.DEFAULTS;
		ConfiguredValue<ConversionFailureAction> onConversionFailure = declared.first("onConversionFailure",
				(values) -> values.handling().onConversionFailure());
		ConfiguredValue<Boolean> resetAttempts = declared.first("resetAttemptsOnProgress",
				(values) -> values.handling().resetAttemptsOnProgress());
		return new RetrySettings(maxAttempts.or(defaults.maxAttempts()), backoff,
				List.of(this.attributes.annotation().noRetryFor()),
				onConversionFailure.or(defaults.onConversionFailure()), resetAttempts.or(defaults.resetsOnProgress()));
	}

	private @Nullable DeliveryFilter filter(DeclaredValues declared) {
		return named(declared.first("filter", (values) -> values.handling().filter()), DeliveryFilter.class);
	}

	private @Nullable QueueErrorHandler errorHandler(DeclaredValues declared) {
		QueueErrorHandler named = named(declared.first("errorHandler", (values) -> values.handling().errorHandler()),
				QueueErrorHandler.class);
		return (named != null) ? named
				: this.attributes.beanByDefault(QueueErrorHandler.DEFAULT_BEAN_NAME, QueueErrorHandler.class);
	}

	private <T> @Nullable T named(ConfiguredValue<String> bean, Class<T> type) {
		String name = bean.value();
		return (name != null) ? this.attributes.bean(bean.attribute(), name, type) : null;
	}

}
