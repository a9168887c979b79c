package io.redelay.queue;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What is kept of an attempt to handle a message that failed: of the last ten, and of the
 * one with which the message died. A listener of dead letters can take that one as a
 * parameter.
 *
 * @param at when it failed, by the clock of Redis
 * @param instance which instance it failed on: its host and process, or what
 * {@code redelay.queue.instance-name} says
 * @param listener the id of the listener
 * @param reason why the message died, if it died of this attempt
 * @param exception the type of the failure, if there was one
 * @param message what it says, at most 1,000 characters
 * @param stackTrace where it failed in the application, at most about 2,000 characters
 * @param failures how often the message's handling had failed by then
 * @param crashes how often instances had died while it was a suspect of theirs
 * @since 0.1.0
 */
public record FailedAttempt(Instant at, String instance, String listener, @Nullable DeathReason reason,
		@Nullable String exception, @Nullable String message, @Nullable String stackTrace, int failures, int crashes) {

}
