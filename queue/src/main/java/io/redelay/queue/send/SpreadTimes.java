package io.redelay.queue.send;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

import io.redelay.queue.MessageTiming;

/**
 * Chooses the due times of messages whose due times are to be spread. A time is chosen
 * once, before the message is sent, so that a repeated send has the same due time.
 */
final class SpreadTimes {

	private SpreadTimes() {
	}

	/**
	 * Chooses a time, each millisecond with the same probability.
	 * @param timing the timing of the message
	 * @return the timing, without a spread
	 */
	static MessageTiming choose(MessageTiming timing) {
		if (timing.spread() == null) {
			return timing;
		}
		Duration later = Duration.ofMillis(ThreadLocalRandom.current().nextLong(timing.spread().toMillis() + 1));
		if (timing.dueAt() != null) {
			return new MessageTiming(null, timing.dueAt().plus(later), null);
		}
		Duration delay = (timing.delay() != null) ? timing.delay().plus(later) : later;
		return new MessageTiming(delay.isZero() ? null : delay, null, null);
	}

}
