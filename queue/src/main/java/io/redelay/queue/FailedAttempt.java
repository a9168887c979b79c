package io.redelay.queue;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * The record of an attempt to handle a message that failed. The last ten are kept, and
 * the one with which the message died. A listener of dead letters can take that one as a
 * parameter.
 *
 * @param at when it failed, by the clock of Redis
 * @param instance the instance on which it failed: its host and process, or the value of
 * {@code redelay.queue.instance-name}
 * @param listener the id of the listener
 * @param reason why the message died, if it died with this attempt
 * @param exception the type of the failure, if there was one
 * @param message the text of the failure, at most 1,000 characters
 * @param stackTrace where it failed in the application, at most about 2,000 characters
 * @param failures how often the message's handling had failed by then
 * @param crashes how often instances had died while they handled it as their suspect
 * @since 0.1.0
 */
public record FailedAttempt(Instant at, String instance, String listener, @Nullable DeathReason reason,
		@Nullable String exception, @Nullable String message, @Nullable String stackTrace, int failures, int crashes) {

}
