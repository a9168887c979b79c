package io.redelay.queue.request;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.scheduling.Scheduler;
import org.jspecify.annotations.Nullable;

/**
 * The record of one lane to send on: its name, the number of its last request, and the
 * requests that were answered recently.
 * <p>
 * For one request or check at a time.
 *
 * @param <T> the parts of a request
 * @param <R> the reply
 */
final class LaneRecord<T, R extends LaneReply<R>> {

	private final RequestProtocol<T, R> protocol;

	private final Scheduler scheduler;

	private final Runnable remembered;

	private final ReplayBuffer<T> answered;

	private State state = State.NONE;

	private @Nullable String name;

	private long seq;

	private long renewedNanos;

	/**
	 * The store's clock when it last answered.
	 */
	private Instant answeredAt = Instant.EPOCH;

	/**
	 * Creates the record of a lane that is not open.
	 * @param remembered is called whenever something is remembered
	 */
	LaneRecord(RequestProtocol<T, R> protocol, ReplayMemory memory, Runnable remembered) {
		this.protocol = protocol;
		this.scheduler = memory.scheduler();
		this.remembered = remembered;
		this.answered = new ReplayBuffer<>(memory);
	}

	State state() {
		return this.state;
	}

	/**
	 * Returns the name of the lane that is open or abandoned.
	 */
	String name() {
		if (this.name == null) {
			throw new IllegalStateException(
					"No lane of the queue '" + this.protocol.settings().queue() + "' was opened: " + this.state);
		}
		return this.name;
	}

	/**
	 * Returns the requests that were answered.
	 */
	ReplayBuffer<T> answered() {
		return this.answered;
	}

	Instant answeredAt() {
		return this.answeredAt;
	}

	/**
	 * Opens a new lane, and forgets what was answered on the one before.
	 * @return its name
	 */
	CompletableFuture<String> open() {
		return open(List.of());
	}

	/**
	 * Opens a new lane on which to repeat the requests that Redis forgot of the one
	 * before. Until {@link #endRepeating} the lane counts as abandoned, and the requests
	 * to repeat count as answered. So if this repair fails, the next one goes on.
	 * @return its name
	 */
	CompletableFuture<String> open(List<ReplayBuffer.Entry<T>> forgotten) {
		this.renewedNanos = this.scheduler.nanoTime();
		return this.protocol.open().get().thenApply((opened) -> {
			this.answered.beginWith(forgotten);
			if (!forgotten.isEmpty()) {
				this.remembered.run();
			}
			this.state = forgotten.isEmpty() ? State.OPEN : State.ABANDONED;
			this.name = opened;
			this.seq = 0;
			return opened;
		});
	}

	/**
	 * Takes the number of the next request.
	 */
	long nextNumber() {
		return ++this.seq;
	}

	/**
	 * Goes on with a request that was to be sent again and was not answered.
	 * @param number its number, which the next request has
	 */
	void goOn(long number) {
		this.seq = number - 1;
	}

	/**
	 * Returns whether Redis may have forgotten the lane because of its age, and nothing
	 * remembered here depends on it.
	 */
	boolean isOutdated() {
		return sinceRenewal() > this.protocol.settings().recognised().toNanos() && this.answered.isEmpty();
	}

	/**
	 * Returns whether the next request is to renew the lane. If so, it counts as renewed.
	 */
	boolean renew() {
		boolean due = sinceRenewal() > this.protocol.settings().renewal().toNanos();
		if (due) {
			this.renewedNanos = this.scheduler.nanoTime();
		}
		return due;
	}

	private long sinceRenewal() {
		return this.scheduler.nanoTime() - this.renewedNanos;
	}

	/**
	 * Remembers a request that was answered.
	 */
	R answered(List<T> items, R reply) {
		this.answeredAt = reply.time();
		List<T> repeatable = (reply.status() == LaneStatus.OK)
				? this.protocol.repeatable().apply(items.subList(0, reply.done(items.size()))) : List.of();
		this.answered.add(this.seq, repeatable, bytes(repeatable));
		this.remembered.run();
		return reply;
	}

	private long bytes(List<T> items) {
		return ReplayBuffer.ENTRY_SIZE + items.stream().mapToLong(this.protocol.bytes()).sum();
	}

	/**
	 * Records the answer of a request that was sent again.
	 */
	void answered(R reply) {
		this.answeredAt = reply.time();
	}

	/**
	 * Records that a request that was sent again has left some of its items: these, and
	 * all that is to be repeated behind them, have the numbers after it. What was
	 * repeated before, and what it has done, count as answered: Redis may go back again.
	 * @param request the request
	 * @param done how many of its items were carried out
	 * @param rest those that are left to repeat
	 * @param others the requests behind it
	 * @return the rest of the request, and all behind it
	 */
	List<ReplayBuffer.Entry<T>> left(ReplayBuffer.Entry<T> request, int done, List<T> rest,
			List<ReplayBuffer.Entry<T>> others) {
		List<ReplayBuffer.Entry<T>> all = new ArrayList<>(others);
		if (!rest.isEmpty()) {
			all.add(0, request.with(rest, bytes(rest)));
		}
		List<ReplayBuffer.Entry<T>> left = List.copyOf(all);
		List<T> some = request.items().subList(0, done);
		all.add(0, request.with(some, bytes(some)));
		this.answered.replace(this.seq, all);
		return left;
	}

	/**
	 * Records that a request failed. If it certainly was not carried out, its number is
	 * used again; otherwise the lane is abandoned.
	 * @param certain whether it was not carried out
	 */
	void failed(boolean certain) {
		if (certain) {
			this.seq = this.answered.last();
		}
		else if (this.state == State.OPEN) {
			this.state = State.ABANDONED;
		}
	}

	void endRepeating() {
		this.state = State.OPEN;
	}

	/**
	 * Returns whether Redis may have forgotten the lane because of its age.
	 * @param now the store's clock
	 */
	boolean isExpired(Instant now) {
		return Duration.between(this.answeredAt, now).compareTo(SenderMemory.RECOGNISED) >= 0;
	}

	/**
	 * The uses of a lane.
	 */
	enum State {

		/**
		 * None was opened yet.
		 */
		NONE,

		/**
		 * The next request goes on it.
		 */
		OPEN,

		/**
		 * It is unknown whether its last request was carried out, or not everything is
		 * repeated yet: the next request repairs it first.
		 */
		ABANDONED

	}

}
