package io.redelay.queue.request;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.request.RequestProtocol.Attempt;

/**
 * Replaces a lane of which Redis may have forgotten requests that were answered. If Redis
 * went back in time, and has not merely forgotten the lane because of its age, the
 * forgotten requests are sent again on the new lane; what the reply to one of them leaves
 * is sent again at once.
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

	private final LaneRecord<T, R> lane;

	private final RequestProtocol<T, R> protocol;

	private final ReplayMemory memory;

	/**
	 * Whether Redis has forgotten the lane of the requests to repeat, until all are
	 * repeated.
	 */
	private boolean unknown;

	LaneReplacement(LaneRecord<T, R> lane, RequestProtocol<T, R> protocol, ReplayMemory memory) {
		this.lane = lane;
		this.protocol = protocol;
		this.memory = memory;
	}

	/**
	 * Opens a new lane in place of another one.
	 * @param name the name of the lane
	 * @return the name of the new lane
	 */
	CompletableFuture<String> repair(String name) {
		return this.protocol.check().apply(name).thenCompose((state) -> {
			boolean known = state.status() == LaneStatus.OK;
			boolean expired = !known && this.lane.isExpired(state.time());
			this.unknown |= !known && !expired;
			long remembered = expired ? Long.MAX_VALUE : known ? state.last() : 0;
			long lost = this.lane.answered().last() - remembered;
			List<ReplayBuffer.Entry<T>> forgotten = new ArrayList<>(this.lane.answered().after(remembered));
			long harmless = forgotten.size();
			forgotten.removeIf((entry) -> entry.items().isEmpty());
			long missed = lost - (harmless - forgotten.size());
			if (missed <= 0) {
				this.unknown = false;
				return this.lane.open();
			}
			return this.lane.open(forgotten).thenCompose((opened) -> repeat(opened, forgotten, missed));
		});
	}

	/**
	 * Sends again the requests that Redis has forgotten. If that fails, the next repair
	 * goes on with the rest.
	 * @return the name of the lane
	 */
	private CompletableFuture<String> repeat(String name, List<ReplayBuffer.Entry<T>> forgotten, long lost) {
		return repeat(name, forgotten, new Repeated(0, 0, 0), lost).whenComplete((opened, failure) -> {
			if (failure != null) {
				report(lost, new Repeated(forgotten.size(), 0, 0));
			}
		});
	}

	private CompletableFuture<String> repeat(String name, List<ReplayBuffer.Entry<T>> forgotten, Repeated repeated,
			long lost) {
		if (forgotten.isEmpty()) {
			this.lane.endRepeating();
			this.unknown = false;
			report(lost, repeated);
			return CompletableFuture.completedFuture(name);
		}
		List<T> items = forgotten.get(0).items();
		Attempt attempt = this.unknown ? Attempt.REPEATED_OF_UNKNOWN_LANE : Attempt.REPEATED;
		return this.protocol.run().run(name, this.lane.nextNumber(), false, items, attempt).thenCompose((reply) -> {
			LaneStatus status = reply.status();
			if (status == LaneStatus.DELETED) {
				this.unknown = false;
				return this.lane.open();
			}
			if (status.isUnknownLane()) {
				return CompletableFuture.failedFuture(new StoreException("Redis went back in time again, while what"
						+ " it had forgotten of the queue '" + this.protocol.settings().queue() + "' was sent again",
						null));
			}
			this.lane.answered(reply);
			List<ReplayBuffer.Entry<T>> others = forgotten.subList(1, forgotten.size());
			if (status != LaneStatus.OK) {
				return repeat(name, others, repeated, lost);
			}
			int done = reply.done(items.size());
			if (done == items.size()) {
				return repeat(name, others, repeated.whole(done), lost);
			}
			Repeated more = repeated.part(done);
			boolean leavesOut = more.inVain == MAX_IN_VAIN;
			List<T> rest = items.subList(leavesOut ? done + 1 : done, items.size());
			List<ReplayBuffer.Entry<T>> left = this.lane.left(forgotten.get(0), done, rest, others);
			return repeat(name, left, leavesOut ? more.lessOne(rest.isEmpty()) : more, lost);
		});
	}

	private void report(long forgotten, Repeated repeated) {
		this.memory.report(new Rollback(this.protocol.settings().queue(), this.protocol.settings().kind(), forgotten,
				repeated.items, 0, forgotten - repeated.requests));
	}

	/**
	 * The forgotten requests that Redis has taken again.
	 *
	 * @param requests how many requests
	 * @param items of how many items
	 * @param inVain how many requests in a row have done nothing
	 */
	private record Repeated(long requests, long items, int inVain) {

		Repeated whole(int more) {
			return new Repeated(this.requests + 1, this.items + more, 0);
		}

		Repeated part(int more) {
			return new Repeated(this.requests, this.items + more, (more > 0) ? 0 : this.inVain + 1);
		}

		/**
		 * Leaves an item out: its request is none that Redis has taken again.
		 * @param ended whether it was the last item of the request, which is then over
		 */
		Repeated lessOne(boolean ended) {
			return new Repeated(ended ? this.requests : this.requests - 1, this.items, 0);
		}

	}

}
