package io.redelay.outbox.jdbc;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A message that a relay has taken from the table.
 *
 * @param number its number
 * @param to the queue or the topic
 * @param orderingKey its ordering key, if it has one
 * @param attempts how often it was taken, this time included
 * @param delay how long it is still to wait, if it was sent with a delay
 * @param text the message, see {@link MessageText}
 */
record OutboxRow(long number, Destination to, @Nullable String orderingKey, int attempts, @Nullable Duration delay,
		String text) {

	@Nullable Line line() {
		return (this.orderingKey != null) ? new Line(this.to, this.orderingKey) : null;
	}

	/**
	 * Where messages are sent.
	 */
	record Destination(String name, boolean topic) {

		@Override
		public String toString() {
			return (this.topic ? "the topic '" : "the queue '") + this.name + "'";
		}

	}

	/**
	 * Messages that are sent in their order.
	 */
	record Line(Destination to, String orderingKey) {

	}

}
