package io.redelay.autoconfigure;

import java.time.Duration;

import io.redelay.queue.config.ListenerValues;
import io.redelay.queue.listener.ConversionFailureAction;
import io.redelay.queue.work.CancellationMode;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the containers of listeners.
 *
 * @param concurrency How many handlers run at the same time in a container, 8 by default.
 * A number, or a range like 1-16.
 * @param prefetch How many messages a container holds beyond those that are handled. By
 * default as many as are handled in 100 ms.
 * @param leaseTime How long the messages that an instance holds stay reserved for it
 * after a crash, 30s by default.
 * @param batchSize How many messages a listener of batches is given at most, 10 by
 * default.
 * @param batchTimeout How long to wait for a batch to become full, 0 by default.
 * @param autoStartup Whether containers start with the application, true by default.
 * @since 0.1.0
 */
@ConfigurationProperties("redelay.queue.listener")
public record QueueListenerProperties(@Nullable String concurrency, @Nullable Integer prefetch,
		@Nullable Duration leaseTime, @Nullable Integer batchSize, @Nullable Duration batchTimeout,
		@Nullable Boolean autoStartup) {

	static ListenerValues toValues(QueueListenerProperties container, Handling handling, Limits limits,
			Idempotency idempotency) {
		return new ListenerValues(container.toValues(), handling.toValues(), handling.backoff().toValues(),
				limits.toValues(), idempotency.toValues());
	}

	private ListenerValues.Container toValues() {
		return new ListenerValues.Container(this.concurrency, this.prefetch, this.leaseTime, this.batchSize,
				this.batchTimeout, this.autoStartup);
	}

	/**
	 * Properties of the handling of a message.
	 *
	 * @param maxHandlingTime How long handling a message may take. By default there is no
	 * limit.
	 * @param maxAttempts How often a message is delivered at most before it is kept among
	 * the dead messages, 5 by default.
	 * @param backoff How long to wait before a failed message is delivered again.
	 * @param errorHandler The QueueErrorHandler bean that decides what to do when
	 * handling failed. By default queueErrorHandler, if there is one.
	 * @param onConversionFailure What happens to a message that cannot be read, converted
	 * or validated: it is dead at once (bury, the default), or delivered again after the
	 * backoff while it has attempts left (retry).
	 * @param resetAttemptsOnProgress Whether a saved checkpoint gives a message its full
	 * number of attempts again, false by default.
	 * @param cancellation How a running handler is notified that its message was
	 * cancelled: by its CancellationToken (signal, the default), or also by an interrupt
	 * of its thread and the cancellation of a returned future or publisher (interrupt).
	 * @param filter The DeliveryFilter bean that decides which messages are handled. The
	 * others are acknowledged unhandled. By default all are handled.
	 */
	@ConfigurationProperties("redelay.queue.listener")
	public record Handling(@Nullable Duration maxHandlingTime, @Nullable Integer maxAttempts,
			@NestedConfigurationProperty @DefaultValue Backoff backoff, @Nullable String errorHandler,
			@Nullable ConversionFailureAction onConversionFailure, @Nullable Boolean resetAttemptsOnProgress,
			@Nullable CancellationMode cancellation, @Nullable String filter) {

		private ListenerValues.Handling toValues() {
			return new ListenerValues.Handling(this.maxHandlingTime, this.maxAttempts, this.errorHandler,
					this.onConversionFailure, this.resetAttemptsOnProgress, this.cancellation, this.filter);
		}

	}

	/**
	 * How long to wait before a failed message is delivered again.
	 *
	 * @param initialInterval The wait after the first failure, 1s by default.
	 * @param multiplier The factor by which each further wait grows, 2 by default. With 1
	 * all waits are equal.
	 * @param maxInterval The longest wait, 5m by default.
	 * @param jitter The fraction by which a wait varies at random, from 0 to 1, 0.2 by
	 * default.
	 * @param bean The BackOff bean that decides how long to wait, instead of the other
	 * properties.
	 */
	public record Backoff(@Nullable Duration initialInterval, @Nullable Double multiplier,
			@Nullable Duration maxInterval, @Nullable Double jitter, @Nullable String bean) {

		private ListenerValues.Backoff toValues() {
			return new ListenerValues.Backoff(this.initialInterval, this.multiplier, this.maxInterval, this.jitter,
					this.bean);
		}

	}

	/**
	 * Limits of what all instances do together.
	 *
	 * @param rateLimit How many messages of a queue all instances claim together in a
	 * window, like 100/1s or 100/1s bursting. By default any number.
	 * @param maxInFlight How many messages of a queue all instances hold at the same
	 * time. By default any number.
	 * @param keyRateLimit How many messages of one fairness key all instances claim
	 * together in a window, like 10/1s. By default any number.
	 * @param keyMaxInFlight How many messages of one fairness key all instances hold at
	 * the same time. By default any number.
	 * @param sharedLimit The limit under redelay.queue.limits that each queue shares with
	 * others. By default none.
	 */
	@ConfigurationProperties("redelay.queue.listener")
	public record Limits(@Nullable String rateLimit, @Nullable Integer maxInFlight, @Nullable String keyRateLimit,
			@Nullable Integer keyMaxInFlight, @Nullable String sharedLimit) {

		private ListenerValues.Limits toValues() {
			return new ListenerValues.Limits(this.rateLimit, this.maxInFlight, this.keyRateLimit, this.keyMaxInFlight,
					this.sharedLimit);
		}

	}

	/**
	 * That handlers succeed once for each key.
	 *
	 * @param idempotencyKey Template of the key for which a handler succeeds once, like
	 * #{payload.orderId}. Messages have no such key by default.
	 * @param idempotencyWindow How long messages with a key whose handler has succeeded
	 * are not handled again, 24h by default.
	 */
	@ConfigurationProperties("redelay.queue.listener")
	public record Idempotency(@Nullable String idempotencyKey, @Nullable Duration idempotencyWindow) {

		private ListenerValues.Idempotency toValues() {
			return new ListenerValues.Idempotency(this.idempotencyKey, this.idempotencyWindow);
		}

	}

}
