package io.redelay.queue.config;

import java.time.Duration;

import io.redelay.queue.listener.ConversionFailureAction;
import io.redelay.queue.work.CancellationMode;
import org.jspecify.annotations.Nullable;

/**
 * Settings of listeners that do not come from their annotation, by theme; {@code null}
 * where a value is not set.
 *
 * @param container of the container
 * @param handling of the handling of a message
 * @param backoff how long to wait before a failed message is delivered again
 * @param limits of what all instances do together
 * @param idempotency that the handler succeeds once for each key
 * @since 0.1.0
 */
public record ListenerValues(Container container, Handling handling, Backoff backoff, Limits limits,
		Idempotency idempotency) {

	/**
	 * Declares no value.
	 */
	public static final ListenerValues NONE = new ListenerValues(new Container(null, null, null, null, null, null),
			new Handling(null, null, null, null, null, null, null), new Backoff(null, null, null, null, null),
			new Limits(null, null, null, null, null), new Idempotency(null, null));

	/**
	 * Values of the container.
	 *
	 * @param concurrency how many handlers run at the same time
	 * @param prefetch how many messages are held beyond those
	 * @param leaseTime how long a lane lives without being renewed
	 * @param batchSize how many messages a batch has at most
	 * @param batchTimeout how long to wait for a batch to become full
	 * @param autoStartup whether the container starts with the application
	 */
	public record Container(@Nullable String concurrency, @Nullable Integer prefetch, @Nullable Duration leaseTime,
			@Nullable Integer batchSize, @Nullable Duration batchTimeout, @Nullable Boolean autoStartup) {

	}

	/**
	 * Values of the handling of a message.
	 *
	 * @param maxHandlingTime how long handling may take
	 * @param maxAttempts how often a message is delivered at most
	 * @param errorHandler the bean that is asked about failures
	 * @param onConversionFailure what becomes of messages that cannot be converted
	 * @param resetAttemptsOnProgress whether progress resets the attempts of a message
	 * @param cancellation how a running handler is notified that its message was
	 * cancelled
	 * @param filter the bean that says which messages are handled
	 */
	public record Handling(@Nullable Duration maxHandlingTime, @Nullable Integer maxAttempts,
			@Nullable String errorHandler, @Nullable ConversionFailureAction onConversionFailure,
			@Nullable Boolean resetAttemptsOnProgress, @Nullable CancellationMode cancellation,
			@Nullable String filter) {

	}

	/**
	 * Values of the backoff.
	 *
	 * @param initialInterval the wait after the first failure
	 * @param multiplier how much longer each further wait is
	 * @param maxInterval the longest wait
	 * @param jitter by which part a wait is varied
	 * @param bean the bean that says how long to wait, instead of the intervals
	 */
	public record Backoff(@Nullable Duration initialInterval, @Nullable Double multiplier,
			@Nullable Duration maxInterval, @Nullable Double jitter, @Nullable String bean) {

	}

	/**
	 * Limits of what all instances do together.
	 *
	 * @param rateLimit how many messages they claim in a window, as text
	 * @param maxInFlight how many messages they hold at the same time
	 * @param keyRateLimit how many messages of one fairness key they claim in a window,
	 * as text
	 * @param keyMaxInFlight how many messages of one fairness key they hold at the same
	 * time
	 * @param sharedLimit the name of a limit that several queues share
	 */
	public record Limits(@Nullable String rateLimit, @Nullable Integer maxInFlight, @Nullable String keyRateLimit,
			@Nullable Integer keyMaxInFlight, @Nullable String sharedLimit) {

	}

	/**
	 * That the handler succeeds once for each key.
	 *
	 * @param key the template of the key
	 * @param window for how long such a key is done
	 */
	public record Idempotency(@Nullable String key, @Nullable Duration window) {

	}

}
