package io.redelay.benchmarks.choice;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;

/**
 * Sends messages at a rate.
 */
record Pacer(QueueOperations queues) {

	/**
	 * Sends for some time. A send does not wait for the one before.
	 * @param message makes the message of a number
	 */
	void send(IntFunction<OutboundMessage> message, Duration duration, int perSecond) {
		int count = Math.toIntExact(duration.toMillis() * perSecond / 1000);
		long start = System.nanoTime();
		for (int i = 0; i < count; i++) {
			long due = start + i * 1_000_000_000L / perSecond;
			for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
				LockSupport.parkNanos(wait);
			}
			this.queues.sendAsync(message.apply(i));
		}
	}

}
