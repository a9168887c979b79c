package io.redelay.queue.store;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The requests of one lane that were answered of late. Those that are too old, or too
 * much for the memory that all lanes share, are forgotten, the oldest first.
 * <p>
 * Safe for use by many threads.
 *
 * @param <T> what a request is made of
 */
final class ReplayBuffer<T> {

	/**
	 * How many bytes a request takes beside what it is made of, roughly.
	 */
	static final long ENTRY_SIZE = 64;

	private final ReplayMemory memory;

	private final Deque<Entry<T>> entries = new ArrayDeque<>();

	/**
	 * The last request that was answered, remembered or not.
	 */
	private long last;

	private long lastNanos;

	/**
	 * Creates an empty buffer.
	 * @param memory the memory that it shares with other lanes
	 */
	ReplayBuffer(ReplayMemory memory) {
		this.memory = memory;
	}

	/**
	 * Remembers a request that was answered.
	 * @param seq its number, higher than those before
	 * @param items what it is made of; nothing if it needs not be repeated
	 * @param bytes how large that is
	 */
	synchronized void add(long seq, List<T> items, long bytes) {
		this.last = seq;
		this.lastNanos = this.memory.scheduler().nanoTime();
		forgetOld(this.lastNanos);
		if (!this.memory.isEnabled()) {
			return;
		}
		this.entries.add(new Entry<>(seq, this.lastNanos, bytes, items));
		this.memory.took(bytes);
		while (this.memory.isFull() && !this.entries.isEmpty()) {
			forget();
		}
	}

	/**
	 * Forgets what is too old.
	 */
	synchronized void forgetOld() {
		forgetOld(this.memory.scheduler().nanoTime());
	}

	private void forgetOld(long now) {
		long limit = this.memory.duration().toNanos();
		for (Entry<T> oldest = this.entries.peek(); oldest != null
				&& now - oldest.nanos > limit; oldest = this.entries.peek()) {
			forget();
		}
	}

	private void forget() {
		this.memory.freed(this.entries.remove().bytes);
	}

	/**
	 * Whether something is remembered, but no request was answered for as long as
	 * requests are remembered: so it is time to see whether Redis remembers the last one,
	 * and then to forget it.
	 */
	synchronized boolean isToBeChecked() {
		return !this.entries.isEmpty()
				&& this.memory.scheduler().nanoTime() - this.lastNanos >= this.memory.duration().toNanos();
	}

	synchronized boolean isEmpty() {
		return this.entries.isEmpty();
	}

	/**
	 * The number of the last request that was answered.
	 * @return the number, or 0
	 */
	synchronized long last() {
		return this.last;
	}

	/**
	 * What is remembered.
	 * @param seq the last request that Redis remembers
	 * @return the requests after it, the oldest first
	 */
	synchronized List<Entry<T>> after(long seq) {
		return this.entries.stream().filter((entry) -> entry.seq > seq).toList();
	}

	/**
	 * Forgets the requests, but not the number of the last one.
	 */
	synchronized void forgetAll() {
		while (!this.entries.isEmpty()) {
			forget();
		}
	}

	/**
	 * Begins anew, for another lane.
	 */
	synchronized void clear() {
		forgetAll();
		this.last = 0;
	}

	/**
	 * A request that was answered.
	 *
	 * @param seq its number
	 * @param nanos when the answer came, by the clock of the scheduler
	 * @param bytes how large it is
	 * @param items what it is made of
	 * @param <T> what a request is made of
	 */
	record Entry<T>(long seq, long nanos, long bytes, List<T> items) {
	}

}
