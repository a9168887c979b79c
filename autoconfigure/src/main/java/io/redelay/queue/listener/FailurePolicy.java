package io.redelay.queue.listener;

import java.time.Duration;

import io.redelay.queue.DeathReason;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.RetryMessageException;
import io.redelay.queue.UnfitAction;
import io.redelay.queue.store.Envelope;
import io.redelay.queue.store.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * Decides what becomes of a message that was not handled well.
 */
final class FailurePolicy {

	private final ContainerSettings.QueueSettings settings;

	private final AttemptRecorder recorder;

	private final FailureReporter reporter;

	FailurePolicy(String listener, ContainerSettings.QueueSettings settings, ListenerRuntime runtime) {
		this.settings = settings;
		this.recorder = new AttemptRecorder(listener, runtime);
		this.reporter = new FailureReporter(runtime.retryListeners());
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
		String why = envelope.whyExpired();
		if (envelope.dropExpired()) {
			this.reporter.dropped(delivery, why);
			return Settlement.ack(delivery.uid(), delivery.claim());
		}
		return bury(delivery, DeathReason.EXPIRED, why, null, delivery.failures());
	}

	/**
	 * Whether a suspect is handled alone: it was one at a death before, or one more death
	 * makes it dead.
	 */
	boolean isAccused(Delivery delivery) {
		int crashes = delivery.crashes();
		int max = delivery.maxAttemptsUnread(this.settings.maxAttempts());
		return crashes < max && (crashes > 0 || crashes + 1 >= max);
	}

	/**
	 * What becomes of a message whose handling failed.
	 */
	Settlement failed(Delivery delivery, Throwable thrown, @Nullable Duration delay) {
		Throwable failure = Causes.unwrap(thrown);
		RejectMessageException rejection = Causes.find(failure, RejectMessageException.class);
		if (rejection != null) {
			return bury(delivery, DeathReason.REJECTED, rejection.getMessage(), failure, delivery.failures() + 1);
		}
		int failures = delivery.failures() + 1;
		Class<? extends Throwable> unforgiven = unforgiven(failure);
		if (unforgiven != null) {
			return bury(delivery, DeathReason.FAILED,
					"Not retried after a " + unforgiven.getName() + ": " + FailureText.words(failure), failure,
					failures);
		}
		Duration pause = (failures < maxAttempts(delivery)) ? pause(failure, failures, delay) : null;
		if (pause == null) {
			return bury(delivery, DeathReason.FAILED,
					"Failed " + failures + " times, at last with: " + FailureText.words(failure), failure, failures);
		}
		return retry(delivery, failure, failures, pause);
	}

	private Settlement retry(Delivery delivery, Throwable failure, int failures, Duration pause) {
		this.reporter.retried(delivery, failure, failures, maxAttempts(delivery), pause);
		return Settlement.retry(delivery.uid(), delivery.claim(), pause, this.recorder.failed(delivery, failure));
	}

	/**
	 * After which type of failure there is no retry, unless the handler asked for one.
	 */
	private @Nullable Class<? extends Throwable> unforgiven(Throwable failure) {
		if (failure instanceof NackException || Causes.find(failure, RetryMessageException.class) != null) {
			return null;
		}
		for (Class<? extends Throwable> type : this.settings.noRetryFor()) {
			if (Causes.find(failure, type) != null) {
				return type;
			}
		}
		return null;
	}

	Settlement recovered(Delivery delivery, Throwable failure) {
		this.reporter.recovered(delivery, failure);
		return Settlement.ack(delivery.uid(), delivery.claim());
	}

	Settlement reject(Delivery delivery, String reason) {
		return bury(delivery, DeathReason.REJECTED, reason, null, delivery.failures() + 1);
	}

	/**
	 * What becomes of a message that does not fit, which another version of the
	 * application may take, if the settings say so.
	 */
	Settlement unfit(Delivery delivery, Throwable failure) {
		int failures = delivery.failures() + 1;
		boolean retried = this.settings.unfit() == UnfitAction.RETRY && failures < maxAttempts(delivery);
		Duration pause = retried ? this.settings.backoff().after(failures) : null;
		return (pause != null) ? retry(delivery, failure, failures, pause)
				: bury(delivery, DeathReason.UNFIT, failure.getMessage(), failure, failures);
	}

	/**
	 * What becomes of a message when it cannot even be worked out what should: so no
	 * BackOff of the user's is asked, which may be what failed.
	 */
	Settlement undecided(Delivery delivery, Throwable ex) {
		int failures = delivery.failures() + 1;
		RetryBackoff backoff = (this.settings.backoff() instanceof RetryBackoff own) ? own : RetryBackoff.DEFAULTS;
		Duration pause = (failures < maxAttempts(delivery)) ? backoff.after(failures) : null;
		this.reporter.unclear(delivery, ex, pause);
		if (pause != null) {
			return Settlement.retry(delivery.uid(), delivery.claim(), pause, this.recorder.unclear(delivery, null, ex));
		}
		return Settlement.bury(delivery.uid(), delivery.claim(),
				this.recorder.unclear(delivery, DeathReason.FAILED, ex));
	}

	private Settlement bury(Delivery delivery, DeathReason reason, @Nullable String why, @Nullable Throwable failure,
			int failures) {
		this.reporter.dead(delivery, reason, why, failure);
		return Settlement.bury(delivery.uid(), delivery.claim(),
				this.recorder.dead(delivery, reason, why, failure, failures));
	}

	/**
	 * How long to wait, or {@code null} if no attempt is left.
	 */
	private @Nullable Duration pause(Throwable failure, int failures, @Nullable Duration delay) {
		if (delay != null) {
			return delay;
		}
		RetryMessageException wish = Causes.find(failure, RetryMessageException.class);
		return (wish != null) ? wish.getDelay() : this.settings.backoff().after(failures);
	}

	private int maxAttempts(Delivery delivery) {
		Integer own = delivery.isRead() ? delivery.envelope().maxAttempts() : null;
		return (own != null) ? own : this.settings.maxAttempts();
	}

}
