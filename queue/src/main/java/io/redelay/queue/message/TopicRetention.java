package io.redelay.queue.message;

import java.time.Duration;

import org.springframework.util.Assert;

/**
 * How many published messages of a topic are kept, so that they can be replayed to a
 * group.
 *
 * @param maxAge for how long; zero if that is not limited
 * @param maxCount how many messages; 0 if that is not limited
 * @param maxBytes how many bytes; 0 if that is not limited
 * @since 0.1.0
 */
public record TopicRetention(Duration maxAge, long maxCount, long maxBytes) {

	/**
	 * Nothing is kept.
	 */
	public static final TopicRetention NONE = new TopicRetention(Duration.ZERO, 0, 0);

	/**
	 * Checks the values.
	 */
	public TopicRetention {
		Assert.isTrue(!maxAge.isNegative(), () -> "'maxAge' must not be negative: " + maxAge);
		Assert.isTrue(maxCount >= 0, () -> "'maxCount' must not be negative: " + maxCount);
		Assert.isTrue(maxBytes >= 0, () -> "'maxBytes' must not be negative: " + maxBytes);
	}

}
