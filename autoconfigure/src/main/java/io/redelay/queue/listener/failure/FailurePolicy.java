package io.redelay.queue.listener.failure;

import java.time.Duration;

import io.redelay.queue.DeathReason;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.RetryMessageException;
import io.redelay.queue.ConversionFailureAction;
import io.redelay.queue.store.Envelope;
import io.redelay.queue.store.Settlement;
import org.jspecify.annotations.Nullable;

/**
 * Decides how a message of one queue is settled that was not handled, or whose handling
 * failed. Records the attempt with the settlement, and reports it.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class FailurePolicy {

	private final RetrySettings settings;

	private final AttemptRecorder recorder;

	private final FailureReporter reporter;

	/**
	 * Creates the policy of a queue.
	 * @param listener the id of the listener, for the record of an attempt
	 * @param settings whether and when to retry
	 * @param runtime what is shared to record and to report
	 */
	public FailurePolicy(String listener, RetrySettings settings, FailureRuntime runtime) {
		this.settings = settings;
		this.recorder = new AttemptRecorder(listener, runtime.instance(), runtime.mapper());
		this.reporter = new FailureReporter(runtime.retryListeners());
	}

	/**
	 * Returns how often a message is delivered at most.
	 * @param ofSender what its sender said, if known
	 * @return the number of attempts, the first one included
	 */
	public int maxAttempts(@Nullable Integer ofSender) {
		return (ofSender != null) ? ofSender : this.settings.maxAttempts();
	}

	/**
	 * The message has no attempt left, because instances died while they handled it.
	 * @param facts the message
	 * @return the settlement
	 */
	public Settlement crashed(DeliveryFacts facts) {
		return bury(facts, DeathReason.CRASHED,
				"Its handling ended with the death of the instance " + facts.crashes() + " times", null,
				facts.failures());
	}

	/**
	 * The message's time to live has elapsed before its handling began.
	 * @param facts the message
	 * @param envelope its envelope
	 * @return the settlement
	 */
	public Settlement expired(DeliveryFacts facts, Envelope envelope) {
		String why = envelope.whyExpired();
		if (envelope.dropExpired()) {
			this.reporter.dropped(facts, why);
			return Settlement.ack(facts.uid(), facts.claim());
		}
		return bury(facts, DeathReason.EXPIRED, why, null, facts.failures());
	}

	/**
	 * The handling of the message failed.
	 * @param facts the message
	 * @param thrown what was thrown
	 * @param delay when the handler wants it again, if it said so
	 * @return the settlement
	 */
	public Settlement failed(DeliveryFacts facts, Throwable thrown, @Nullable Duration delay) {
		Throwable failure = Causes.unwrap(thrown);
		RejectMessageException rejection = Causes.find(failure, RejectMessageException.class);
		if (rejection != null) {
			return bury(facts, DeathReason.REJECTED, rejection.getMessage(), failure, facts.failures() + 1);
		}
		int failures = facts.failures() + 1;
		Class<? extends Throwable> type = notRetried(failure);
		if (type != null) {
			return bury(facts, DeathReason.FAILED,
					"Not retried after a " + type.getName() + ": " + FailureText.describe(failure), failure, failures);
		}
		Duration pause = (failures < maxAttempts(facts)) ? pause(failure, failures, delay) : null;
		if (pause == null) {
			return bury(facts, DeathReason.FAILED,
					"Failed " + failures + " times, at last with: " + FailureText.describe(failure), failure, failures);
		}
		return retry(facts, failure, failures, pause);
	}

	/**
	 * The handler said that the handling failed, and threw nothing.
	 * @param facts the message
	 * @param delay when the handler wants it again, if it said so
	 * @return the settlement
	 */
	public Settlement nacked(DeliveryFacts facts, @Nullable Duration delay) {
		return failed(facts, new NackException("The handler said so"), delay);
	}

	/**
	 * The handling of the message failed, and its error handler dealt with that.
	 * @param facts the message
	 * @param failure the failure
	 * @return the settlement
	 */
	public Settlement recovered(DeliveryFacts facts, Throwable failure) {
		this.reporter.recovered(facts, failure);
		return Settlement.ack(facts.uid(), facts.claim());
	}

	/**
	 * The handler rejected the message.
	 * @param facts the message
	 * @param reason why
	 * @return the settlement
	 */
	public Settlement rejected(DeliveryFacts facts, String reason) {
		return bury(facts, DeathReason.REJECTED, reason, null, facts.failures() + 1);
	}

	/**
	 * The message cannot be converted for its handler. Another version of the application
	 * may be able to, so it is retried if the settings say so.
	 * @param facts the message
	 * @param failure why not
	 * @return the settlement
	 */
	public Settlement conversionFailed(DeliveryFacts facts, Throwable failure) {
		int failures = facts.failures() + 1;
		boolean retried = this.settings.onConversionFailure() == ConversionFailureAction.RETRY
				&& failures < maxAttempts(facts);
		Duration pause = retried ? this.settings.backoff().after(failures) : null;
		return (pause != null) ? retry(facts, failure, failures, pause)
				: bury(facts, DeathReason.CONVERSION_FAILED, failure.getMessage(), failure, failures);
	}

	/**
	 * One of the other decisions failed. Asks no BackOff of the user's, which may be what
	 * failed.
	 * @param facts the message
	 * @param ex what the decision failed with
	 * @return the settlement
	 */
	public Settlement undecided(DeliveryFacts facts, Throwable ex) {
		int failures = facts.failures() + 1;
		RetryBackoff backoff = (this.settings.backoff() instanceof RetryBackoff own) ? own : RetryBackoff.DEFAULTS;
		Duration pause = (failures < maxAttempts(facts)) ? backoff.after(failures) : null;
		this.reporter.unclear(facts, ex, pause);
		if (pause != null) {
			return Settlement.retry(facts.uid(), facts.claim(), pause, this.recorder.unclear(facts, null, ex));
		}
		return Settlement.bury(facts.uid(), facts.claim(), this.recorder.unclear(facts, DeathReason.FAILED, ex));
	}

	private Settlement retry(DeliveryFacts facts, Throwable failure, int failures, Duration pause) {
		this.reporter.retried(facts, failure, failures, maxAttempts(facts), pause);
		return Settlement.retry(facts.uid(), facts.claim(), pause, this.recorder.failed(facts, failure));
	}

	private Settlement bury(DeliveryFacts facts, DeathReason reason, @Nullable String why, @Nullable Throwable failure,
			int failures) {
		this.reporter.dead(facts, reason, why, failure);
		return Settlement.bury(facts.uid(), facts.claim(), this.recorder.dead(facts, reason, why, failure, failures));
	}

	/**
	 * Finds the configured type after which there is no retry, unless the handler asked
	 * for one.
	 */
	private @Nullable Class<? extends Throwable> notRetried(Throwable failure) {
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

	/**
	 * Returns how long to wait, or {@code null} if no attempt is left.
	 */
	private @Nullable Duration pause(Throwable failure, int failures, @Nullable Duration delay) {
		if (delay != null) {
			return delay;
		}
		RetryMessageException wish = Causes.find(failure, RetryMessageException.class);
		return (wish != null) ? wish.getDelay() : this.settings.backoff().after(failures);
	}

	private int maxAttempts(DeliveryFacts facts) {
		return maxAttempts((facts.envelope() != null) ? facts.envelope().maxAttempts() : null);
	}

}
