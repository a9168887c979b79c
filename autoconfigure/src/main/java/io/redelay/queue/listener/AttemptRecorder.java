package io.redelay.queue.listener;

import java.time.temporal.ChronoUnit;

import io.redelay.queue.DeathReason;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.store.FailedAttemptCodec;
import org.jspecify.annotations.Nullable;

/**
 * Writes down what is kept of a failed attempt.
 */
final class AttemptRecorder {

	private static final int LONGEST_MESSAGE = 1000;

	private final String listener;

	private final String instance;

	private final FailedAttemptCodec codec;

	AttemptRecorder(String listener, ListenerRuntime runtime) {
		this.listener = listener;
		this.instance = runtime.instance();
		this.codec = new FailedAttemptCodec(runtime.mapper());
	}

	/**
	 * An attempt after which there is another one.
	 */
	String failed(Delivery delivery, Throwable failure) {
		return write(delivery, null, failure.getMessage(), failure, delivery.failures() + 1);
	}

	/**
	 * The attempt that was the last one, or that was not even made.
	 */
	String dead(Delivery delivery, DeathReason reason, @Nullable String why, @Nullable Throwable failure,
			int failures) {
		return write(delivery, reason, why, failure, failures);
	}

	/**
	 * An attempt of whose failure nothing can be said but its type.
	 * @param reason why the message is dead, or {@code null} if there is another attempt
	 */
	String unclear(Delivery delivery, @Nullable DeathReason reason, Throwable failure) {
		int failures = delivery.failures() + 1;
		return write(delivery, reason, failure.getClass().getName(), "Failed " + failures + " times", null, failures);
	}

	private String write(Delivery delivery, @Nullable DeathReason reason, @Nullable String why,
			@Nullable Throwable failure, int failures) {
		if (failure == null || failure instanceof NackException) {
			return write(delivery, reason, null, why, null, failures);
		}
		return write(delivery, reason, failure.getClass().getName(), why, StackDigest.of(failure), failures);
	}

	private String write(Delivery delivery, @Nullable DeathReason reason, @Nullable String exception,
			@Nullable String why, @Nullable String stackTrace, int failures) {
		return this.codec.write(new FailedAttempt(delivery.storeTime().truncatedTo(ChronoUnit.MILLIS), this.instance,
				this.listener, reason, exception, trimmed(why), stackTrace, failures, delivery.crashes()));
	}

	private static @Nullable String trimmed(@Nullable String why) {
		return (why != null && why.length() > LONGEST_MESSAGE) ? why.substring(0, LONGEST_MESSAGE - 1) + "…" : why;
	}

}
