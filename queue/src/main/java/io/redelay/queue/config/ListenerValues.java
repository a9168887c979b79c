package io.redelay.queue.config;

import java.time.Duration;

import io.redelay.queue.CancellationMode;
import io.redelay.queue.ConversionFailureAction;
import org.jspecify.annotations.Nullable;

/**
 * Settings of listeners that do not come from their annotation; {@code null} if not set.
 *
 * @param concurrency how many handlers run at the same time
 * @param prefetch how many messages are held beyond those
 * @param leaseTime how long a lane lives without being renewed
 * @param maxHandlingTime how long handling may take
 * @param maxAttempts how often a message is delivered at most
 * @param initialInterval the wait after the first failure
 * @param multiplier how much longer each further wait is
 * @param maxInterval the longest wait
 * @param jitter by which part a wait is varied
 * @param backoffBean the bean that says how long to wait, instead of the intervals
 * @param errorHandler the bean that is asked about failures
 * @param batchSize how many messages a batch has at most
 * @param batchTimeout how long to wait for a batch to become full
 * @param autoStartup whether the container starts with the application
 * @param onConversionFailure what becomes of messages that cannot be converted
 * @param rateLimit how many messages all instances claim in a window, as text
 * @param maxInFlight how many messages all instances hold at the same time
 * @param keyRateLimit how many messages of one fairness key all instances claim in a
 * window, as text
 * @param keyMaxInFlight how many messages of one fairness key all instances hold at the
 * same time
 * @param sharedLimit the name of a limit that several queues share
 * @param resetAttemptsOnProgress whether progress resets the attempts of a message
 * @param idempotencyKey the template of the key for which the handler succeeds once
 * @param idempotencyWindow for how long such a key is done
 * @param cancellation how a running handler is notified that its message was cancelled
 * @param filter the bean that says which messages are handled
 * @since 0.1.0
 */
public record ListenerValues(@Nullable String concurrency, @Nullable Integer prefetch, @Nullable Duration leaseTime,
		@Nullable Duration maxHandlingTime, @Nullable Integer maxAttempts, @Nullable Duration initialInterval,
		@Nullable Double multiplier, @Nullable Duration maxInterval, @Nullable Double jitter,
		@Nullable String backoffBean, @Nullable String errorHandler, @Nullable Integer batchSize,
		@Nullable Duration batchTimeout, @Nullable Boolean autoStartup,
		@Nullable ConversionFailureAction onConversionFailure, @Nullable String rateLimit,
		@Nullable Integer maxInFlight, @Nullable String keyRateLimit, @Nullable Integer keyMaxInFlight,
		@Nullable String sharedLimit, @Nullable Boolean resetAttemptsOnProgress, @Nullable String idempotencyKey,
		@Nullable Duration idempotencyWindow, @Nullable CancellationMode cancellation, @Nullable String filter) {

	/**
	 * Declares no value.
	 */
	public static final ListenerValues NONE = new ListenerValues(null, null, null, null, null, null, null, null, null,
			null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);

	/**
	 * Declares the values of the backoff only.
	 */
	static ListenerValues backoff(@Nullable Duration initialInterval, @Nullable Double multiplier,
			@Nullable Duration maxInterval, @Nullable Double jitter, @Nullable String bean) {
		return new ListenerValues(null, null, null, null, null, initialInterval, multiplier, maxInterval, jitter, bean,
				null, null, null, null, null, null, null, null, null, null, null, null, null, null, null);
	}

}
