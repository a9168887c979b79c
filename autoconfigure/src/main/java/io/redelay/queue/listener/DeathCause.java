package io.redelay.queue.listener;

import java.io.PrintWriter;
import java.io.StringWriter;

import io.redelay.queue.DeathReason;
import org.jspecify.annotations.Nullable;

/**
 * What is kept with a dead message, as JSON.
 *
 * @param reason why it is dead
 * @param message in words
 * @param exception the type of the failure, if there was one
 * @param stackTrace where it failed, trimmed
 * @param listener the listener that gave it up
 * @param failures how often its handling failed
 * @param crashes how often instances died while it was a suspect of theirs
 */
record DeathCause(DeathReason reason, @Nullable String message, @Nullable String exception, @Nullable String stackTrace,
		String listener, int failures, int crashes) {

	private static final int LONGEST_MESSAGE = 1000;

	private static final int LONGEST_TRACE = 4000;

	static DeathCause of(DeathReason reason, @Nullable String message, @Nullable Throwable failure, String listener,
			int failures, int crashes) {
		return new DeathCause(reason, trimmed(message), (failure != null) ? failure.getClass().getName() : null,
				(failure != null) ? trace(failure) : null, listener, failures, crashes);
	}

	private static @Nullable String trimmed(@Nullable String message) {
		return (message != null && message.length() > LONGEST_MESSAGE) ? message.substring(0, LONGEST_MESSAGE) + "…"
				: message;
	}

	private static String trace(Throwable failure) {
		StringWriter trace = new StringWriter();
		failure.printStackTrace(new PrintWriter(trace));
		return trace.toString().substring(0, Math.min(LONGEST_TRACE, trace.getBuffer().length()));
	}

}
