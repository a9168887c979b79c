package io.redelay.queue.script;

import java.time.Duration;
import java.time.Instant;

import io.redelay.queue.message.DeclaredFilter;

/**
 * A group of a topic, as the store has it.
 *
 * @param name the group
 * @param since when it was registered
 * @param expiry how long it lives without a consumer; zero for ever
 * @param seen when a consumer last renewed it; asked for only if the group expires
 * @param filter which messages it gets copies of, as it was last declared
 * @since 0.1.0
 */
public record StoredGroup(String name, Instant since, Duration expiry, Instant seen, DeclaredFilter filter) {

	/**
	 * Returns whether the group is to be removed.
	 * @param now the store's clock
	 * @return whether no consumer was there for as long as it lives without one
	 */
	public boolean hasEnded(Instant now) {
		return !this.expiry.isZero() && this.seen.plus(this.expiry).isBefore(now);
	}

}
