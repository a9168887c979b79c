package io.redelay.queue.failure;

import java.time.Duration;
import java.time.Instant;

import io.redelay.queue.DeathReason;
import io.redelay.queue.MessageBackoff;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.RetryMessageException;
import io.redelay.queue.listener.ConversionFailureAction;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.UnhandledEnd;
import org.jspecify.annotations.Nullable;

/**
 * Decides how a message of one queue is settled if it was not handled, or if its handling
 * failed: the message is retried, buried, that is, moved to the dead messages, or
 * acknowledged. The settlement carries a record of the attempt, and the attempt is
 * reported.
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
	 * @param runtime the shared parts to record and report failures
	 */
	public FailurePolicy(String listener, RetrySettings settings, FailureRuntime runtime) {
		this.settings = settings;
		this.recorder = new AttemptRecorder(listener, runtime.instance(), new FailedAttemptCodec(runtime.mapper()));
		this.reporter = new FailureReporter(listener, runtime.retryListeners(), runtime.meters());
	}

	/**
	 * Returns how many times a message is delivered at most.
	 * @param ofSender the maximum of its sender, if known
	 * @return the number of attempts, the first one included
	 */
	public int maxAttempts(@Nullable Integer ofSender) {
		return (ofSender != null) ? ofSender : this.settings.maxAttempts();
	}

	/**
	 * Returns whether a message has all of its attempts again when its handler has saved
	 * a checkpoint.
	 * @return whether its failures and crashes are forgotten then
	 */
	public boolean resetsAttempts() {
		return this.settings.resetsOnProgress();
	}

	/**
	 * Buries a message that has no attempt left, because instances died while they
	 * handled it.
	 * @param facts the message
	 * @return the settlement
	 */
	public Settlement crashed(DeliveryFacts facts) {
		return bury(facts, DeathReason.CRASHED,
				"Its handling ended with the death of the instance " + FailureText.times(facts.crashes()), null,
				facts.failures());
	}

	/**
	 * Buries or drops a message whose time was over before its handling began.
	 * @param facts the message
	 * @param ending why its time is over
	 * @return the settlement
	 */
	public Settlement expired(DeliveryFacts facts, Envelope.Expiration ending) {
		return ended(facts, ending, null, facts.failures());
	}

	/**
	 * Buries or drops a message whose deadline passed while it was handled.
	 * @param facts the message
	 * @param ending why its time is over
	 * @param failure how the handling ended
	 * @return the settlement
	 */
	public Settlement overdue(DeliveryFacts facts, Envelope.Expiration ending, Throwable failure) {
		return ended(facts, ending, failure, facts.failures() + 1);
	}

	private Settlement ended(DeliveryFacts facts, Envelope.Expiration ending, @Nullable Throwable failure,
			int failures) {
		if (!ending.dropped()) {
			return bury(facts, ending.reason(), ending.why(), failure, failures);
		}
		this.reporter.dropped(facts, ending.why(), failure);
		Envelope envelope = facts.envelope();
		return (envelope != null && envelope.headers().containsKey(QueueHeaders.BUNDLE))
				? Settlement.done(facts.uid(), facts.claim(), UnhandledEnd.expired())
				: Settlement.expired(facts.uid(), facts.claim());
	}

	/**
	 * Decides about a message whose handling failed. The message is buried if it was
	 * rejected, if there is no retry after such a failure, or if it has no attempt left;
	 * otherwise it is retried.
	 * @param facts the message
	 * @param thrown the exception of the handler
	 * @param delay the delay that the handler asked for, if it did
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
		Duration pause = (failures < maxAttempts(facts)) ? pause(facts, failure, failures, delay) : null;
		if (pause == null) {
			return bury(
					facts, DeathReason.FAILED, "Failed " + FailureText.times(failures)
							+ ((failures == 1) ? ", with: " : ", at last with: ") + FailureText.describe(failure),
					failure, failures);
		}
		return retry(facts, failure, failures, pause);
	}

	/**
	 * Decides about a message whose handler reported a failure without throwing an
	 * exception.
	 * @param facts the message
	 * @param delay the delay that the handler asked for, if it did
	 * @return the settlement
	 */
	public Settlement nacked(DeliveryFacts facts, @Nullable Duration delay) {
		return failed(facts, new NackException("The handler said so"), delay);
	}

	/**
	 * Reports the failure of a message that was acknowledged before, so that it cannot be
	 * settled any more.
	 * @param facts the message
	 * @param failure the failure
	 */
	public void lost(DeliveryFacts facts, Throwable failure) {
		this.reporter.lost(facts, failure);
	}

	/**
	 * Acknowledges a message whose handling failed, because the error handler recovered
	 * from the failure.
	 * @param facts the message
	 * @param failure the failure
	 * @return the settlement
	 */
	public Settlement recovered(DeliveryFacts facts, Throwable failure) {
		this.reporter.recovered(facts, failure);
		return Settlement.ack(facts.uid(), facts.claim());
	}

	/**
	 * Buries a message that its handler rejected.
	 * @param facts the message
	 * @param reason why
	 * @return the settlement
	 */
	public Settlement rejected(DeliveryFacts facts, String reason) {
		return bury(facts, DeathReason.REJECTED, reason, null, facts.failures() + 1);
	}

	/**
	 * Decides about a message that cannot be converted for its handler. Depending on the
	 * settings it is retried, because another version of the application may be able to
	 * convert it; otherwise it is buried.
	 * @param facts the message
	 * @param failure why not
	 * @return the settlement
	 */
	public Settlement conversionFailed(DeliveryFacts facts, Throwable failure) {
		int failures = facts.failures() + 1;
		boolean retried = this.settings.onConversionFailure() == ConversionFailureAction.RETRY
				&& failures < maxAttempts(facts);
		Duration pause = retried ? backoff(facts).after(failures) : null;
		return (pause != null) ? retry(facts, failure, failures, pause)
				: bury(facts, DeathReason.CONVERSION_FAILED, failure.getMessage(), failure, failures);
	}

	/**
	 * Decides about a message after the code that was to decide about it failed. This
	 * method calls no BackOff of the user, because that may be the code that failed.
	 * @param facts the message
	 * @param ex the exception of the failed decision
	 * @return the settlement
	 */
	public Settlement undecided(DeliveryFacts facts, Throwable ex) {
		int failures = facts.failures() + 1;
		RetryBackoff backoff = (backoff(facts) instanceof RetryBackoff own) ? own : RetryBackoff.DEFAULTS;
		Duration pause = (failures < maxAttempts(facts)) ? backoff.after(failures) : null;
		if (pause != null && endsBeforeRetry(facts, pause, ex.getClass().getName()) != null) {
			pause = null;
		}
		this.reporter.unclear(facts, ex, pause);
		if (pause != null) {
			return Settlement.retry(facts.uid(), facts.claim(), pause, this.recorder.unclear(facts, null, ex));
		}
		return Settlement.bury(facts.uid(), facts.claim(), this.recorder.unclear(facts, DeathReason.FAILED, ex));
	}

	private Settlement retry(DeliveryFacts facts, Throwable failure, int failures, Duration pause) {
		Envelope.Expiration ending = endsBeforeRetry(facts, pause, FailureText.describe(failure));
		if (ending != null) {
			return ended(facts, ending, failure, failures);
		}
		this.reporter.retried(facts, failure, failures, maxAttempts(facts), pause);
		return Settlement.retry(facts.uid(), facts.claim(), pause,
				this.recorder.write(facts, null, failure.getMessage(), failure, facts.failures() + 1));
	}

	/**
	 * Returns the expiration of a message whose deadline is no later than its next
	 * attempt, or {@code null} if there is time for one.
	 */
	private static Envelope.@Nullable Expiration endsBeforeRetry(DeliveryFacts facts, Duration pause, String failure) {
		Envelope envelope = facts.envelope();
		Instant deadline = (envelope != null) ? envelope.deadline() : null;
		if (envelope == null || deadline == null || facts.time().plus(pause).isBefore(deadline)) {
			return null;
		}
		return envelope.overdue("Its deadline is " + deadline + ", and its next attempt would not be before "
				+ facts.time().plus(pause) + "; it failed with: " + failure);
	}

	private Settlement bury(DeliveryFacts facts, DeathReason reason, @Nullable String why, @Nullable Throwable failure,
			int failures) {
		this.reporter.dead(facts, reason, why, failure);
		return Settlement.bury(facts.uid(), facts.claim(), this.recorder.write(facts, reason, why, failure, failures));
	}

	/**
	 * Returns the configured type of exception after which there is no retry, if the
	 * failure or one of its causes is of such a type. Returns {@code null} if not, or if
	 * the handler asked for a retry.
	 */
	private @Nullable Class<? extends Throwable> notRetried(Throwable failure) {
		if (failure instanceof NackException || Causes.find(failure, RetryMessageException.class) != null) {
			return null;
		}
		return this.settings.noRetryFor()
			.stream()
			.filter((type) -> Causes.find(failure, type) != null)
			.findFirst()
			.orElse(null);
	}

	/**
	 * Returns how long to wait before the next attempt, or {@code null} if no attempt is
	 * left.
	 */
	private @Nullable Duration pause(DeliveryFacts facts, Throwable failure, int failures, @Nullable Duration delay) {
		if (delay != null) {
			return delay;
		}
		RetryMessageException wish = Causes.find(failure, RetryMessageException.class);
		return (wish != null) ? wish.getDelay() : backoff(facts).after(failures);
	}

	/**
	 * Returns the backoff that the sender set for the message, or else the listener's.
	 */
	private RetryDelay backoff(DeliveryFacts facts) {
		MessageBackoff own = (facts.envelope() != null) ? facts.envelope().handling().backoff() : null;
		return (own != null)
				? new RetryBackoff(own.initialInterval(), own.multiplier(), own.maxInterval(), own.jitter())
				: this.settings.backoff();
	}

	private int maxAttempts(DeliveryFacts facts) {
		return maxAttempts((facts.envelope() != null) ? facts.envelope().maxAttempts() : null);
	}

}
