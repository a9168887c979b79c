package io.redelay.queue.event.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.redelay.scheduling.Scheduler;

/**
 * A bounded buffer of moves of messages, or changes of queues, and the thread that
 * delivers them in order. If it is full, a new one is dropped, counted and logged, so
 * that its caller never waits. All are numbered, those that are dropped as well.
 * <p>
 * Safe for use by many threads.
 */
abstract class MoveBuffer<T> implements Consumer<T> {

	private final int capacity;

	private final int batch;

	private final Duration gather;

	private final DroppedMoves log;

	private final Scheduler clock;

	private final EventThread thread;

	/**
	 * Guards the fields below. Not this object, on which subclasses synchronize when they
	 * are added to a source or removed from it.
	 */
	private final Object lock = new Object();

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

	/**
	 * Creates a buffer.
	 * @param thread the beginning of the name of the thread
	 * @param capacity how many wait at most
	 * @param batch how many are delivered together at most
	 * @param gather for how long to wait for that many, once there is one
	 * @param why why some are dropped, for the log
	 * @param clock the clock
	 */
	MoveBuffer(String thread, int capacity, int batch, Duration gather, String why, Scheduler clock) {
		this.capacity = capacity;
		this.batch = batch;
		this.gather = gather;
		this.log = new DroppedMoves(why, clock);
		this.clock = clock;
		this.thread = new EventThread(thread, this::run);
	}

	/**
	 * Calls listeners, each even if another one fails.
	 * @param failed called with what a listener throws
	 */
	static <E> void publish(List<Consumer<E>> listeners, E event, Consumer<Throwable> failed) {
		for (Consumer<E> listener : listeners) {
			try {
				listener.accept(event);
			}
			catch (Throwable ex) {
				failed.accept(ex);
			}
		}
	}

	/**
	 * Delivers moves, on the thread.
	 * @param first the number of the first of them
	 * @param moves the moves
	 */
	abstract void deliver(long first, List<T> moves) throws InterruptedException;

	/**
	 * Called with a move that is dropped.
	 */
	void onDrop(T move) {
	}

	void start() {
		this.thread.start();
	}

	/**
	 * Adds a move.
	 */
	@Override
	public void accept(T move) {
		if (!add(move)) {
			onDrop(move);
			this.log.log(dropped());
		}
	}

	/**
	 * Counts moves that could not be delivered.
	 */
	void drop(int moves) {
		synchronized (this.lock) {
			this.dropped += moves;
		}
		this.log.log(dropped());
	}

	long dropped() {
		synchronized (this.lock) {
			return this.dropped;
		}
	}

	/**
	 * Takes moves again after {@link #close}.
	 */
	void open() {
		this.thread.reopen();
		synchronized (this.lock) {
			this.closed = false;
			closeGap();
		}
	}

	/**
	 * Drops all further moves; those that wait are delivered within a time.
	 */
	void close(Duration limit) {
		synchronized (this.lock) {
			this.closed = true;
			this.lock.notifyAll();
		}
		this.thread.end(limit);
	}

	/**
	 * Adds a move. Once one was dropped, all are until those that wait were taken, so
	 * that the dropped ones are a single gap.
	 * @return whether it was added
	 */
	private boolean add(T move) {
		synchronized (this.lock) {
			if (this.gap > 0 || this.moves.size() >= this.capacity || this.closed) {
				this.gap++;
				this.dropped++;
				return false;
			}
			this.moves.add(move);
			if (this.moves.size() == 1 || this.moves.size() == this.wanted) {
				this.lock.notifyAll();
			}
			return true;
		}
	}

	private void run() throws InterruptedException {
		Taken<T> taken = take();
		while (!taken.moves().isEmpty()) {
			deliver(taken.first(), taken.moves());
			taken = take();
		}
	}

	/**
	 * Waits for moves and takes them.
	 * @return the moves taken, none if the buffer is closed and empty, or if it was
	 * opened again and another thread takes the moves
	 */
	private Taken<T> take() throws InterruptedException {
		synchronized (this.lock) {
			while (this.moves.isEmpty() && !this.closed && this.thread.isCurrent()) {
				this.lock.wait();
			}
			if (!this.thread.isCurrent()) {
				return new Taken<>(this.first, List.of());
			}
			if (!this.gather.isZero()) {
				this.wanted = Math.min(this.batch, this.capacity);
				long end = this.clock.nanoTime() + this.gather.toNanos();
				long left = end - this.clock.nanoTime();
				while (this.moves.size() < this.wanted && !this.closed && left > 0) {
					TimeUnit.NANOSECONDS.timedWait(this.lock, left);
					left = end - this.clock.nanoTime();
				}
			}
			return poll();
		}
	}

	private Taken<T> poll() {
		List<T> taken = new ArrayList<>(Math.min(this.batch, this.moves.size()));
		long number = this.first;
		while (taken.size() < this.batch && !this.moves.isEmpty()) {
			taken.add(this.moves.remove());
		}
		this.first += taken.size();
		closeGap();
		return new Taken<>(number, taken);
	}

	/**
	 * Has moves added again, unless some wait that come before those that were dropped.
	 */
	private void closeGap() {
		if (this.moves.isEmpty()) {
			this.first += this.gap;
			this.gap = 0;
		}
	}

	/**
	 * The moves that were taken.
	 *
	 * @param first the number of the first of them, or of the next one if there is none
	 * @param moves the moves
	 */
	private record Taken<T>(long first, List<T> moves) {

	}

}
