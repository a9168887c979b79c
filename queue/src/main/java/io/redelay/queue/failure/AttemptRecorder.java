package io.redelay.queue.failure;

import java.time.temporal.ChronoUnit;

import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.message.FailedAttemptCodec;
import org.jspecify.annotations.Nullable;

/**
 * Writes the record of a failed attempt.
 *
 * @param listener the id of the listener
 * @param instance the name of this instance, for people
 * @param codec writes records
 */
record AttemptRecorder(String listener, String instance, FailedAttemptCodec codec) {

	private static final int LONGEST_MESSAGE = 1000;

	/**
	 * Records an attempt of whose failure only the type can be described.
	 * @param reason why the message is dead, or {@code null} if there is another attempt
	 */
	String unclear(DeliveryFacts facts, @Nullable DeathReason reason, Throwable failure) {
		int failures = facts.failures() + 1;
		return write(facts, reason, failure.getClass().getName(), "Failed " + FailureText.times(failures), null,
				failures);
	}

	/**
	 * Records an attempt.
	 * @param reason why the message is dead, or {@code null} if there is another attempt
	 */
	String write(DeliveryFacts facts, @Nullable DeathReason reason, @Nullable String why, @Nullable Throwable failure,
			int failures) {
		if (failure == null || failure instanceof NackException) {
			return write(facts, reason, null, why, null, failures);
		}
		return write(facts, reason, failure.getClass().getName(), why, StackDigest.of(failure), failures);
	}

	private String write(DeliveryFacts facts, @Nullable DeathReason reason, @Nullable String exception,
			@Nullable String why, @Nullable String stackTrace, int failures) {
		return this.codec.write(new FailedAttempt(facts.time().truncatedTo(ChronoUnit.MILLIS), this.instance,
				this.listener, reason, exception, trimmed(why), stackTrace, failures, facts.crashes()));
	}

	private static @Nullable String trimmed(@Nullable String why) {
		return (why != null && why.length() > LONGEST_MESSAGE) ? why.substring(0, LONGEST_MESSAGE - 1) + "…" : why;
	}

}
