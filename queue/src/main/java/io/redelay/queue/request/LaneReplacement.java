package io.redelay.queue.request;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.request.RequestProtocol.Attempt;
import io.redelay.scheduling.AsyncCall;
import org.jspecify.annotations.Nullable;

/**
 * Replaces a lane of which Redis may have forgotten requests that were answered. If Redis
 * went back in time, and has not merely forgotten the lane because of its age, the
 * forgotten requests are sent again on the new lane; what the reply to one of them leaves
 * is sent again at once.
 * <p>
 * If one of them gets no answer, the next repair goes on with the same number on the same
 * lane, as only its reply says what it left.
 *
 * @param <T> what a request is made of
 * @param <R> the reply
 */
final class LaneReplacement<T, R extends LaneReply<R>> {

	/**
	 * How many requests one after the other may do nothing before an item is left out, as
	 * what stands in its way does not go away.
	 */
	static final int MAX_IN_VAIN = 10;

	/**
	 * How long an item may wait at least. A database that was away is not asked for up to
	 * a minute.
	 */
	private static final Duration MIN_WAIT = Duration.ofMinutes(2);

	private static final Repeated NONE_REPEATED = new Repeated(0, 0, 0, false);

	private final LaneRecord<T, R> lane;

	private final RequestProtocol<T, R> protocol;

	private final ReplayMemory memory;

	/**
	 * Whether Redis has forgotten the lane of the requests to repeat, until all are
	 * repeated.
	 */
	private boolean unknown;

	/**
	 * The number of the request that is repeated next, or whose answer is awaited, 0 if
	 * nothing is to be repeated.
	 */
	private long next;

	private Repeated repeated = NONE_REPEATED;

	/**
	 * Since when the item that is to be repeated next is held up, if it is.
	 */
	private @Nullable Long heldUpNanos;

	/**
	 * Whether an item was held up for too long. None is held up any more then.
	 */
	private boolean impatient;

	LaneReplacement(LaneRecord<T, R> lane, RequestProtocol<T, R> protocol, ReplayMemory memory) {
		this.lane = lane;
		this.protocol = protocol;
		this.memory = memory;
	}

	/**
	 * Opens a new lane in place of another one, unless a repetition on that one goes on.
	 * @param name the name of the lane
	 * @return the name of the new lane, or of the same one if a repetition on it goes on
	 */
	CompletableFuture<String> repair(String name) {
		return this.protocol.check().apply(name).thenCompose((state) -> {
			boolean known = state.status() == LaneStatus.OK;
			boolean expired = !known && this.lane.isExpired(state.time());
			this.unknown |= !known && !expired;
			long remembered = expired ? Long.MAX_VALUE : known ? state.last() : 0;
			if (this.next > 0) {
				remembered = Math.min(remembered, this.next - 1);
			}
			long lost = this.lane.answered().last() - remembered;
			List<ReplayBuffer.Entry<T>> forgotten = new ArrayList<>(this.lane.answered().after(remembered));
			if (known && remembered == this.next - 1 && !forgotten.isEmpty() && forgotten.get(0).seq() == this.next) {
				this.lane.goOn(this.next);
				return repeat(name, forgotten, lost);
			}
			long harmless = forgotten.size();
			forgotten.removeIf((entry) -> entry.items().isEmpty());
			long missed = lost - (harmless - forgotten.size());
			if (missed <= 0) {
				return openAnew();
			}
			return this.lane.open(forgotten).thenCompose((opened) -> {
				this.repeated = this.repeated.onNewLane();
				return repeat(opened, forgotten, missed);
			});
		});
	}

	private CompletableFuture<String> openAnew() {
		return this.lane.open().thenApply((opened) -> {
			end();
			return opened;
		});
	}

	/**
	 * Sends again the requests that Redis has forgotten. If that fails, the next repair
	 * goes on with the rest.
	 * @return the name of the lane
	 */
	private CompletableFuture<String> repeat(String name, List<ReplayBuffer.Entry<T>> forgotten, long lost) {
		this.repeated = this.repeated.begin(lost - forgotten.size());
		return repeatNext(name, forgotten, lost);
	}

	private CompletableFuture<String> repeatNext(String name, List<ReplayBuffer.Entry<T>> forgotten, long lost) {
		if (forgotten.isEmpty()) {
			this.lane.endRepeating();
			report(lost);
			end();
			return CompletableFuture.completedFuture(name);
		}
		List<T> items = forgotten.get(0).items();
		Attempt attempt = this.unknown ? Attempt.REPEATED_OF_UNKNOWN_LANE : Attempt.REPEATED;
		this.next = this.lane.nextNumber();
		return AsyncCall.of(() -> this.protocol.run().run(name, this.next, false, items, attempt))
			.handle((reply, failure) -> (failure != null) ? brokenOff(forgotten, lost, StoreException.cause(failure))
					: repeated(name, forgotten, lost, reply))
			.thenCompose((repeating) -> repeating);
	}

	private CompletableFuture<String> repeated(String name, List<ReplayBuffer.Entry<T>> forgotten, long lost, R reply) {
		LaneStatus status = reply.status();
		if (status == LaneStatus.DELETED) {
			return openAnew();
		}
		if (status.isUnknownLane()) {
			return brokenOff(forgotten, lost,
					new StoreException("Redis went back in time again, while what it had forgotten of the queue '"
							+ this.protocol.settings().queue() + "' was sent again", null));
		}
		this.lane.answered(reply);
		List<T> items = forgotten.get(0).items();
		List<ReplayBuffer.Entry<T>> others = forgotten.subList(1, forgotten.size());
		if (status != LaneStatus.OK) {
			this.heldUpNanos = null;
			this.repeated = this.repeated.lessOne(true);
			return repeatNext(name, others, lost);
		}
		int done = reply.done(items.size());
		if (done > 0) {
			this.heldUpNanos = null;
		}
		if (done == items.size()) {
			this.repeated = this.repeated.whole(done);
			return repeatNext(name, others, lost);
		}
		boolean passing = StoreException.isAway(reply.failure());
		boolean held = passing && isHeldUp();
		this.repeated = this.repeated.part(done, held);
		boolean leavesOut = !held && (passing || this.repeated.inVain >= MAX_IN_VAIN);
		List<T> rest = items.subList(leavesOut ? done + 1 : done, items.size());
		List<ReplayBuffer.Entry<T>> left = this.lane.left(forgotten.get(0), done, rest, others);
		if (leavesOut) {
			this.heldUpNanos = null;
			this.repeated = this.repeated.lessOne(rest.isEmpty());
		}
		if (held) {
			this.next++;
			return brokenOff(left, lost, heldUp(Objects.requireNonNull(reply.failure())));
		}
		return repeatNext(name, left, lost);
	}

	/**
	 * Whether an item that cannot be repeated now may wait still. An idle lane is looked
	 * at within two durations, so it is tried again in time.
	 */
	private boolean isHeldUp() {
		long now = this.memory.scheduler().nanoTime();
		if (this.heldUpNanos == null) {
			this.heldUpNanos = now;
		}
		long wait = Math.max(3 * this.memory.duration().toNanos(), MIN_WAIT.toNanos());
		this.impatient |= now - this.heldUpNanos >= wait;
		return !this.impatient;
	}

	/**
	 * The failure of requests that may not overtake what is held up.
	 */
	private StoreException heldUp(StoreException failure) {
		return new StoreException("Commands on the queue '" + this.protocol.settings().queue()
				+ "' that Redis has forgotten are to be given again first, which is not possible now. Of the first"
				+ " one: " + failure.getMessage(), failure, true);
	}

	private CompletableFuture<String> brokenOff(List<ReplayBuffer.Entry<T>> left, long lost, Throwable failure) {
		report(lost - left.size());
		return CompletableFuture.failedFuture(failure);
	}

	private void end() {
		this.unknown = false;
		this.next = 0;
		this.repeated = NONE_REPEATED;
		this.heldUpNanos = null;
		this.impatient = false;
	}

	/**
	 * Reports what was counted since the last report. If no request is over yet, the
	 * counts are kept for the next report.
	 */
	private void report(long forgotten) {
		if (forgotten > 0) {
			this.memory.report(new Rollback(this.protocol.settings().queue(), this.protocol.settings().kind(),
					forgotten, this.repeated.items, 0, this.repeated.missing));
			this.repeated = this.repeated.reported();
		}
	}

	/**
	 * The forgotten requests that Redis has taken again since the last report.
	 *
	 * @param items of how many items
	 * @param missing how many requests are not, or not whole
	 * @param inVain how many requests in a row have done nothing
	 * @param lacks whether the present request counts as missing
	 */
	private record Repeated(long items, long missing, int inVain, boolean lacks) {

		/**
		 * Begins, or goes on.
		 * @param more how many requests are not remembered here either
		 */
		Repeated begin(long more) {
			return new Repeated(this.items, this.missing + more, this.inVain, this.lacks);
		}

		Repeated onNewLane() {
			return new Repeated(this.items, this.missing, 0, false);
		}

		Repeated reported() {
			return new Repeated(0, 0, this.inVain, this.lacks);
		}

		Repeated whole(int more) {
			return new Repeated(this.items + more, this.missing, 0, false);
		}

		/**
		 * A part of a request is done.
		 * @param held whether the next item is held up
		 */
		Repeated part(int more, boolean held) {
			return new Repeated(this.items + more, this.missing, (more > 0 || held) ? 0 : this.inVain + 1, this.lacks);
		}

		/**
		 * Leaves an item out: its request is none that Redis has taken again.
		 * @param ended whether it was the last item of the request, which is then over
		 */
		Repeated lessOne(boolean ended) {
			return new Repeated(this.items, this.missing + (this.lacks ? 0 : 1), 0, !ended);
		}

	}

}
