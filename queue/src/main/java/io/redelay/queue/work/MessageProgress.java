package io.redelay.queue.work;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * How far the handling of a message has come, as its handler reported it last.
 *
 * @param fraction how much of the work is done, from 0 to 1
 * @param text what the handler said of it, or {@code null} if it said nothing
 * @param at when it was reported, by the clock of Redis
 * @since 0.1.0
 */
public record MessageProgress(double fraction, @Nullable String text, Instant at) {

	/**
	 * Checks the fraction.
	 */
	public MessageProgress {
		if (!(fraction >= 0 && fraction <= 1)) {
			throw new IllegalArgumentException("'fraction' must be from 0 to 1: " + fraction);
		}
	}

}
