package io.redelay.queue.admin;

/**
 * What attempts failed of.
 *
 * @param exception the class of the exception
 * @param message its message, shortened; of the first attempt that failed so
 * @param count how many attempts failed of it
 * @since 0.1.0
 */
public record FailureCause(String exception, String message, long count) {

}
