package io.redelay.queue.request;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.request.RequestProtocol.Attempt;
import org.jspecify.annotations.Nullable;

/**
 * Sends the requests of one lane, one at a time, each under the next number. A lane that
 * the store no longer knows is replaced, and its request is sent again: it did nothing on
 * the former lane.
 *
 * @param <T> what a request is made of
 * @param <R> the reply
 */
final class RequestLane<T, R extends LaneReply<R>> {

	/**
	 * How often a lane is opened for one request: the queue may be deleted each time
	 * before the request arrives.
	 */
	private static final int MAX_OPENINGS = 10;

	private final RequestProtocol<T, R> protocol;

	private final LaneRecord<T, R> record;

	private final LaneReplacement<T, R> repair;

	private Activity activity = Activity.IDLE;

	RequestLane(RequestProtocol<T, R> protocol, ReplayMemory memory, Runnable remembered) {
		this.protocol = protocol;
		this.record = new LaneRecord<>(protocol, memory, remembered);
		this.repair = new LaneReplacement<>(this.record, protocol, memory);
	}

	/**
	 * The present activity. Guarded by the lock of the batcher.
	 */
	Activity activity() {
		return this.activity;
	}

	/**
	 * Goes from idle to a request or a check, or back.
	 */
	void become(Activity next) {
		if ((this.activity == Activity.IDLE) == (next == Activity.IDLE)) {
			throw new IllegalStateException("A lane of the queue '" + this.protocol.settings().queue()
					+ "' cannot go from " + this.activity + " to " + next);
		}
		this.activity = next;
	}

	/**
	 * Returns whether it does nothing, and remembers nothing.
	 */
	boolean isAtRest() {
		return this.activity == Activity.IDLE && !remembers();
	}

	boolean remembers() {
		return !this.record.answered().isEmpty();
	}

	/**
	 * Returns whether what it remembers is old enough to be forgotten if Redis has it.
	 */
	boolean isToBeChecked() {
		return this.record.answered().isToBeChecked();
	}

	/**
	 * Sends a request. Whatever is thrown fails the future.
	 */
	CompletableFuture<R> request(List<Submission<T, R>> batch) {
		try {
			List<T> items = (batch.size() == 1) ? batch.get(0).items()
					: batch.stream().flatMap((submission) -> submission.items().stream()).toList();
			return request(items, this.record.state()).whenComplete((reply, failure) -> {
				if (failure != null) {
					this.record.failed(isCertain(failure));
				}
			});
		}
		catch (Throwable ex) {
			this.record.failed(isCertain(ex));
			return CompletableFuture.failedFuture(ex);
		}
	}

	private CompletableFuture<R> request(List<T> items, LaneRecord.State state) {
		return switch (state) {
			case NONE -> requestOn(this.record.open(), items, Attempt.FIRST, 1);
			case ABANDONED -> requestOn(this.repair.repair(this.record.name()), items, Attempt.FIRST, 1);
			case OPEN -> requestOnOpen(items);
		};
	}

	private CompletableFuture<R> requestOnOpen(List<T> items) {
		if (this.record.isOutdated()) {
			// A lane that Redis forgot because of its age must not look as if Redis had
			// gone back in time.
			return requestOn(this.record.open(), items, Attempt.FIRST, 1);
		}
		String name = this.record.name();
		long number = this.record.nextNumber();
		return this.protocol.run()
			.run(name, number, this.record.renew(), items, Attempt.FIRST)
			.thenCompose((reply) -> switch (reply.status()) {
				case GONE, BEHIND -> requestOn(this.repair.repair(name), items, Attempt.AGAIN, 1);
				case DELETED -> requestOn(this.record.open(), items, Attempt.FIRST, 1);
				default -> CompletableFuture.completedFuture(this.record.answered(items, reply));
			});
	}

	private CompletableFuture<R> requestOn(CompletableFuture<String> opening, List<T> items, Attempt attempt,
			int openings) {
		return opening.exceptionallyCompose((failure) -> CompletableFuture.failedFuture(notOpened(failure)))
			.thenCompose((opened) -> this.protocol.run()
				.run(opened, this.record.nextNumber(), false, items, attempt)
				.thenCompose((reply) -> {
					LaneStatus status = reply.status();
					if (!status.isUnknownLane() || openings == MAX_OPENINGS) {
						return CompletableFuture.completedFuture(this.record.answered(items, reply));
					}
					return requestOn((status == LaneStatus.DELETED) ? this.record.open() : this.repair.repair(opened),
							items, attempt, openings + 1);
				}));
	}

	/**
	 * It may be unknown whether the lane was opened; the request certainly never left.
	 */
	private Throwable notOpened(Throwable thrown) {
		Throwable failure = StoreException.cause(thrown);
		return (failure instanceof OutcomeUnknownException)
				? new StoreException("no lane of the queue '" + this.protocol.settings().queue() + "' could be opened: "
						+ failure.getMessage(), failure, StoreException.isAway(failure))
				: failure;
	}

	private static boolean isCertain(Throwable thrown) {
		Throwable failure = StoreException.cause(thrown);
		return failure instanceof StoreException && !(failure instanceof OutcomeUnknownException);
	}

	/**
	 * Asks whether Redis remembers the last request of the lane, and repairs the lane if
	 * not.
	 * @param forgets whether what is remembered here is forgotten if Redis has it
	 */
	CompletableFuture<?> check(boolean forgets) {
		return switch (this.record.state()) {
			case NONE -> CompletableFuture.completedFuture(null);
			case ABANDONED -> this.repair.repair(this.record.name());
			case OPEN -> checkOpen(this.record.name(), forgets);
		};
	}

	private CompletableFuture<?> checkOpen(String name, boolean forgets) {
		long last = this.record.answered().last();
		return this.protocol.check().apply(name).thenCompose((state) -> {
			if (state.status() == LaneStatus.OK && state.last() >= last) {
				if (forgets) {
					this.record.answered().forgetAll();
				}
				return CompletableFuture.completedFuture(name);
			}
			return this.repair.repair(name);
		});
	}

	/**
	 * Why a request got a reply that it was not carried out, or {@code null} if it was.
	 */
	@Nullable StoreException refusal(R reply) {
		LaneStatus status = reply.status();
		if (status.isUnknownLane()) {
			return refusal("it was deleted each of the " + MAX_OPENINGS + " times that a lane was opened");
		}
		return (status == LaneStatus.STALE) ? refusal(status.toString()) : null;
	}

	private StoreException refusal(String why) {
		return new StoreException(
				"The queue '" + this.protocol.settings().queue() + "' did not take a request of its lane: " + why,
				null);
	}

	/**
	 * The activities of a lane.
	 */
	enum Activity {

		/**
		 * Nothing.
		 */
		IDLE,

		/**
		 * A request is on the wire.
		 */
		REQUESTING,

		/**
		 * Redis is asked for its last request, and the lane is repaired if needed.
		 */
		CHECKING

	}

}
