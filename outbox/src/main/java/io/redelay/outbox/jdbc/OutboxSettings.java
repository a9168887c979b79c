package io.redelay.outbox.jdbc;

import java.time.Duration;

/**
 * What an outbox does.
 *
 * @param initializeSchema whether to bring its schema up to date
 * @param requireTransaction whether to refuse a message outside of a transaction
 * @param window for how long queues remember what they were sent, so that it is not added
 * again
 * @param relay how its relays work
 * @since 0.1.0
 */
public record OutboxSettings(boolean initializeSchema, boolean requireTransaction, Duration window,
		RelaySettings relay) {

}
