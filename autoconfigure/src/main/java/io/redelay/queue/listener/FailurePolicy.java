package io.redelay.queue.listener;

import java.lang.reflect.UndeclaredThrowableException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import io.redelay.queue.RejectMessageException;
import io.redelay.queue.RetryMessageException;
import io.redelay.queue.store.Envelope;
import io.redelay.queue.store.Settlement;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Decides what becomes of a message that was not handled well, and says so in the log.
 */
final class FailurePolicy {

	private static final Log logger = LogFactory.getLog(FailurePolicy.class);

	private final String listener;

	private final ContainerSettings.QueueSettings settings;

	private final JsonMapper mapper;

	FailurePolicy(String listener, ContainerSettings.QueueSettings settings, JsonMapper mapper) {
		this.listener = listener;
		this.settings = settings;
		this.mapper = mapper;
	}

	/**
	 * What becomes of a message that may not even be tried, or {@code null} if it may.
	 */
	@Nullable Settlement refusal(Delivery delivery) {
		if (delivery.crashes() >= maxAttempts(delivery)) {
			return bury(delivery, DeathReason.CRASHED,
					"Its handling ended with the death of the instance " + delivery.crashes() + " times", null,
					delivery.failures());
		}
		Envelope envelope = delivery.envelope();
		Duration timeToLive = envelope.timeToLive();
		if (timeToLive == null || delivery.storeTime().isBefore(envelope.dueAt().plus(timeToLive))) {
			return null;
		}
		String why = "Its handling had not begun " + timeToLive + " after it was due";
		if (envelope.dropExpired()) {
			logger.warn("Dropped the " + delivery + " unhandled, as its sender wished: " + why);
			return Settlement.ack(delivery.uid(), delivery.claim());
		}
		return bury(delivery, DeathReason.EXPIRED, why, null, delivery.failures());
	}

	/**
	 * What becomes of a message whose handling failed.
	 */
	Settlement failed(Delivery delivery, Throwable thrown, @Nullable Duration delay) {
		Throwable failure = unwrap(thrown);
		RejectMessageException rejection = find(failure, RejectMessageException.class);
		if (rejection != null) {
			return bury(delivery, DeathReason.REJECTED, rejection.getMessage(), failure, delivery.failures() + 1);
		}
		int failures = delivery.failures() + 1;
		Class<? extends Throwable> unforgiven = unforgiven(failure);
		if (unforgiven != null) {
			return bury(delivery, DeathReason.FAILED,
					"Not retried after a " + unforgiven.getName() + ": " + words(failure), failure, failures);
		}
		if (failures >= maxAttempts(delivery)) {
			return bury(delivery, DeathReason.FAILED, "Failed " + failures + " times, at last with: " + words(failure),
					failure, failures);
		}
		Duration pause = pause(failure, failures, delay);
		String what = "The " + delivery + " failed (" + failures + " of " + maxAttempts(delivery)
				+ " attempts) and is tried again in " + pause;
		if (failure instanceof NackException) {
			logger.info(what + ": it was negatively acknowledged");
		}
		else if (failure instanceof Error) {
			logger.error(what, failure);
		}
		else {
			logger.warn(what, failure);
		}
		return Settlement.retry(delivery.uid(), delivery.claim(), pause);
	}

	/**
	 * After which type of failure there is no retry, unless the handler asked for one.
	 */
	private @Nullable Class<? extends Throwable> unforgiven(Throwable failure) {
		if (failure instanceof NackException || find(failure, RetryMessageException.class) != null) {
			return null;
		}
		for (Class<? extends Throwable> type : this.settings.noRetryFor()) {
			if (find(failure, type) != null) {
				return type;
			}
		}
		return null;
	}

	Settlement reject(Delivery delivery, String reason) {
		return bury(delivery, DeathReason.REJECTED, reason, null, delivery.failures() + 1);
	}

	Settlement unfit(Delivery delivery, Throwable failure) {
		return bury(delivery, DeathReason.UNFIT, failure.getMessage(), failure, delivery.failures() + 1);
	}

	/**
	 * What becomes of a message when it cannot even be worked out what should.
	 */
	Settlement undecided(Delivery delivery, Throwable ex) {
		logger.error("It cannot be said how the handling of the " + delivery + " failed, for that failed with a "
				+ ex.getClass().getName());
		int failures = delivery.failures() + 1;
		if (failures < maxAttempts(delivery)) {
			return Settlement.retry(delivery.uid(), delivery.claim(), this.settings.backoff().after(failures));
		}
		DeathCause cause = new DeathCause(DeathReason.FAILED, "Failed " + failures + " times", ex.getClass().getName(),
				null, this.listener, failures, delivery.crashes());
		return Settlement.bury(delivery.uid(), delivery.claim(), this.mapper.writeValueAsString(cause));
	}

	private Settlement bury(Delivery delivery, DeathReason reason, @Nullable String why, @Nullable Throwable failure,
			int failures) {
		logger.error("The " + delivery + " is dead (" + reason + "): " + why, failure);
		DeathCause cause = DeathCause.of(reason, why, failure, this.listener, failures, delivery.crashes());
		return Settlement.bury(delivery.uid(), delivery.claim(), this.mapper.writeValueAsString(cause));
	}

	private Duration pause(Throwable failure, int failures, @Nullable Duration delay) {
		if (delay != null) {
			return delay;
		}
		RetryMessageException wish = find(failure, RetryMessageException.class);
		return (wish != null) ? wish.getDelay() : this.settings.backoff().after(failures);
	}

	private int maxAttempts(Delivery delivery) {
		Integer own = delivery.isRead() ? delivery.envelope().maxAttempts() : null;
		return (own != null) ? own : this.settings.maxAttempts();
	}

	/**
	 * Takes off what futures and proxies wrap failures in.
	 */
	static Throwable unwrap(Throwable thrown) {
		boolean wrapper = thrown instanceof CompletionException || thrown instanceof ExecutionException
				|| thrown instanceof UndeclaredThrowableException;
		return (wrapper && thrown.getCause() != null) ? unwrap(thrown.getCause()) : thrown;
	}

	private static String words(Throwable failure) {
		return (failure.getMessage() != null) ? failure.getMessage() : failure.getClass().getName();
	}

	/**
	 * Finds the failure of a type among a failure and its causes, of which there may be a
	 * circle.
	 */
	static <T> @Nullable T find(Throwable failure, Class<T> type) {
		Throwable each = failure;
		for (int depth = 0; each != null && depth < 50; depth++) {
			if (type.isInstance(each)) {
				return type.cast(each);
			}
			each = each.getCause();
		}
		return null;
	}

}
