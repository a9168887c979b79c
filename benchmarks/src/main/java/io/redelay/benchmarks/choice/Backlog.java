package io.redelay.benchmarks.choice;

import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;

/**
 * Sees that a queue always has messages waiting.
 */
final class Backlog implements AutoCloseable {

	private static final int TOGETHER = 500;

	private static final Duration GLANCE = Duration.ofMillis(5);

	private final QueueOperations queues;

	private final String queue;

	private final int size;

	private final LongSupplier handled;

	private final Thread thread = new Thread(this::fill, "backlog");

	private long sent;

	private volatile boolean closed;

	/**
	 * Creates a backlog that is not kept yet.
	 * @param size how many messages wait
	 * @param handled how many messages of the queue were handled
	 */
	Backlog(QueueOperations queues, String queue, int size, LongSupplier handled) {
		this.queues = queues;
		this.queue = queue;
		this.size = size;
		this.handled = handled;
	}

	/**
	 * Makes the backlog, and keeps its size from now on.
	 */
	void keep() {
		fillUp();
		this.thread.start();
	}

	private void fill() {
		while (!this.closed) {
			fillUp();
			LockSupport.parkNanos(GLANCE.toNanos());
		}
	}

	private void fillUp() {
		while (this.sent - this.handled.getAsLong() <= this.size - TOGETHER) {
			this.queues.sendAll(Collections.nCopies(TOGETHER, OutboundMessage.to(this.queue, Parcel.ofLoud())));
			this.sent += TOGETHER;
		}
	}

	@Override
	public void close() {
		this.closed = true;
		try {
			this.thread.join();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
