package io.redelay.queue.admin;

/**
 * The cause of failed attempts.
 *
 * @param exception the class of the exception
 * @param message its message in the first such attempt, shortened
 * @param count how many attempts failed of it
 * @since 0.1.0
 */
public record FailureCause(String exception, String message, long count) {

}
