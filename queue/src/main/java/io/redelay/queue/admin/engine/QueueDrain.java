package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.script.admin.CountScript;

/**
 * Waits until the messages of a queue that takes no new ones are handled.
 */
record QueueDrain(QueueCounter counter) {

	private static final Duration FIRST_PAUSE = Duration.ofMillis(20);

	private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

	/**
	 * Waits until no message is ready, in flight, or due before the limit, until the
	 * limit is over, or until the thread is interrupted.
	 * @return the numbers of messages left
	 */
	QueueInfo await(String queue, List<String> partitions, Duration limit) {
		long start = System.nanoTime();
		Duration pause = FIRST_PAUSE;
		while (true) {
			Duration left = limit.minusNanos(System.nanoTime() - start);
			if (partitions.stream().map(this.counter::count).allMatch((counts) -> isDrained(counts, left))
					|| left.isNegative() || Thread.currentThread().isInterrupted()) {
				return this.counter.info(queue, partitions);
			}
			LockSupport.parkNanos(Math.min(pause.toNanos(), left.toNanos()));
			pause = (pause.compareTo(LONGEST_PAUSE) < 0) ? pause.multipliedBy(2) : LONGEST_PAUSE;
		}
	}

	private static boolean isDrained(CountScript.Counts counts, Duration left) {
		Instant nextDue = counts.nextDue();
		return counts.messages().ready() == 0 && counts.messages().inFlight() == 0
				&& (nextDue == null || nextDue.isAfter(counts.time().plus(left)));
	}

}
