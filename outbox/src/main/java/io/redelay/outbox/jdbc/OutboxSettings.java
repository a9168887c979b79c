package io.redelay.outbox.jdbc;

import java.time.Duration;

/**
 * The settings of an outbox.
 *
 * @param initializeSchema whether to bring its schema up to date
 * @param requireTransaction whether to refuse a message outside of a transaction
 * @param window for how long queues remember messages, so that they are not added again
 * @param relay how its relays work
 * @since 0.1.0
 */
public record OutboxSettings(boolean initializeSchema, boolean requireTransaction, Duration window,
		RelaySettings relay) {

}
