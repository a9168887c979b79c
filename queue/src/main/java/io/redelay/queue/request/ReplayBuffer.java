package io.redelay.queue.request;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The requests of one lane that were answered recently. Requests that are too old are
 * forgotten. If the memory that all lanes share is full, the oldest of all lanes are
 * forgotten first.
 * <p>
 * Safe for use by many threads.
 *
 * @param <T> the parts of a request
 * @since 0.1.0
 */
public final class ReplayBuffer<T> {

	/**
	 * How many bytes a request takes besides its parts, roughly.
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
	public ReplayBuffer(ReplayMemory memory) {
		this.memory = memory;
	}

	/**
	 * Remembers a request that was answered.
	 * @param seq its number, higher than those before
	 * @param items its parts; none if it need not be repeated
	 * @param bytes how large that is
	 */
	public void add(long seq, List<T> items, long bytes) {
		synchronized (this.memory.lock()) {
			this.last = seq;
			this.lastNanos = this.memory.scheduler().nanoTime();
			forgetOld(this.lastNanos);
			if (this.memory.isEnabled() && !this.memory.isTooLarge(bytes)) {
				long number = this.memory.nextNumber();
				this.entries.add(new Entry<>(seq, number, this.lastNanos, bytes, items));
				this.memory.remembered(number, bytes, this);
			}
		}
	}

	/**
	 * Forgets what is too old.
	 */
	public void forgetOld() {
		synchronized (this.memory.lock()) {
			forgetOld(this.memory.scheduler().nanoTime());
		}
	}

	private void forgetOld(long now) {
		long limit = this.memory.duration().toNanos();
		for (Entry<T> oldest = this.entries.peek(); oldest != null
				&& now - oldest.nanos > limit; oldest = this.entries.peek()) {
			forgetOldest();
		}
	}

	/**
	 * Forgets the oldest request. To be called with the lock of the memory.
	 */
	void forgetOldest() {
		Entry<T> oldest = this.entries.remove();
		this.memory.forgotten(oldest.number, oldest.bytes);
	}

	/**
	 * Returns whether requests are remembered, but none was answered for as long as they
	 * are remembered. Then it is time to check whether Redis remembers the last one, and
	 * to forget it.
	 */
	boolean isToBeChecked() {
		synchronized (this.memory.lock()) {
			return !this.entries.isEmpty()
					&& this.memory.scheduler().nanoTime() - this.lastNanos >= this.memory.duration().toNanos();
		}
	}

	boolean isEmpty() {
		synchronized (this.memory.lock()) {
			return this.entries.isEmpty();
		}
	}

	/**
	 * Returns the number of the last request that was answered.
	 * @return the number, or 0
	 */
	long last() {
		synchronized (this.memory.lock()) {
			return this.last;
		}
	}

	/**
	 * Returns the remembered requests.
	 * @param seq the last request that Redis remembers
	 * @return the requests after it, the oldest first
	 */
	public List<Entry<T>> after(long seq) {
		synchronized (this.memory.lock()) {
			return this.entries.stream().filter((entry) -> entry.seq > seq).toList();
		}
	}

	/**
	 * Forgets the requests, but not the number of the last one.
	 */
	public void forgetAll() {
		synchronized (this.memory.lock()) {
			while (!this.entries.isEmpty()) {
				forgetOldest();
			}
		}
	}

	/**
	 * Begins anew, for another lane, with requests that count as answered just now under
	 * the numbers from 1.
	 * @param requests the requests
	 */
	public void beginWith(List<Entry<T>> requests) {
		replace(1, requests);
	}

	/**
	 * Replaces the last requests by others, which count as answered just now. They are no
	 * larger than before, but for an entry without items that may join them.
	 * @param seq the number of the first one to replace, and of the first one in its
	 * place
	 * @param requests the requests
	 */
	void replace(long seq, List<Entry<T>> requests) {
		synchronized (this.memory.lock()) {
			for (Entry<T> youngest = this.entries.peekLast(); youngest != null
					&& youngest.seq >= seq; youngest = this.entries.peekLast()) {
				this.entries.removeLast();
				this.memory.forgotten(youngest.number, youngest.bytes);
			}
			this.last = seq - 1;
			for (Entry<T> request : requests) {
				add(this.last + 1, request.items, request.bytes);
			}
		}
	}

	/**
	 * A request that was answered.
	 *
	 * @param seq its number in the lane
	 * @param number its number among those of all lanes
	 * @param nanos when the answer came, by the clock of the scheduler
	 * @param bytes how large it is
	 * @param items its parts
	 * @param <T> the parts of a request
	 */
	public record Entry<T>(long seq, long number, long nanos, long bytes, List<T> items) {

		/**
		 * Some of its items.
		 */
		Entry<T> with(List<T> some, long size) {
			return new Entry<>(this.seq, this.number, this.nanos, size, some);
		}

	}

}
