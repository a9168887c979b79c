package io.redelay.queue.event.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.redelay.scheduling.Scheduler;

/**
 * A bounded buffer of moves of messages, or changes of queues, that wait for delivery. If
 * it is full, a new one is dropped and counted, so that its caller never waits. All are
 * numbered, those that are dropped as well.
 * <p>
 * Safe for use by many threads.
 */
final class MoveBuffer<T> {

	private final int capacity;

	private final Scheduler clock;

	private final ArrayDeque<T> moves = new ArrayDeque<>();

	/**
	 * The number of the first move that waits, or of the next one.
	 */
	private long first;

	/**
	 * How many were dropped after those that wait.
	 */
	private long gap;

	private long dropped;

	/**
	 * For how many moves the taking thread waits.
	 */
	private int wanted = 1;

	private boolean closed;

	MoveBuffer(int capacity, Scheduler clock) {
		this.capacity = capacity;
		this.clock = clock;
	}

	/**
	 * Adds a move. Once one was dropped, all are until those that wait were taken, so
	 * that the dropped ones are a single gap.
	 * @return whether it was added
	 */
	synchronized boolean add(T move) {
		if (this.gap > 0 || this.moves.size() >= this.capacity || this.closed) {
			this.gap++;
			this.dropped++;
			return false;
		}
		this.moves.add(move);
		if (this.moves.size() == 1 || this.moves.size() == this.wanted) {
			notifyAll();
		}
		return true;
	}

	private Taken<T> poll(int most) {
		List<T> taken = new ArrayList<>(Math.min(most, this.moves.size()));
		long number = this.first;
		while (taken.size() < most && !this.moves.isEmpty()) {
			taken.add(this.moves.remove());
		}
		this.first += taken.size();
		if (this.moves.isEmpty()) {
			this.first += this.gap;
			this.gap = 0;
		}
		return new Taken<>(number, taken);
	}

	/**
	 * Waits for moves and takes them.
	 * @param most how many at most
	 * @param gatherMillis for how long to wait for that many, once there is one
	 * @return the moves taken, none if the buffer is closed and empty
	 */
	synchronized Taken<T> take(int most, long gatherMillis) throws InterruptedException {
		while (this.moves.isEmpty() && !this.closed) {
			wait();
		}
		if (gatherMillis > 0) {
			this.wanted = Math.min(most, this.capacity);
			long end = this.clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(gatherMillis);
			long left = end - this.clock.nanoTime();
			while (this.moves.size() < this.wanted && !this.closed && left > 0) {
				TimeUnit.NANOSECONDS.timedWait(this, left);
				left = end - this.clock.nanoTime();
			}
		}
		return poll(most);
	}

	synchronized long dropped() {
		return this.dropped;
	}

	/**
	 * Drops all further moves; those that wait can still be taken.
	 */
	synchronized void close() {
		this.closed = true;
		notifyAll();
	}

	/**
	 * The moves that were taken.
	 *
	 * @param first the number of the first of them, or of the next one if there is none
	 * @param moves the moves
	 */
	record Taken<T>(long first, List<T> moves) {

	}

}
