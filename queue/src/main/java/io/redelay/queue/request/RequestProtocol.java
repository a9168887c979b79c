package io.redelay.queue.request;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

import org.jspecify.annotations.Nullable;

/**
 * The requests of one kind that the lanes of a queue make: by this value, and nothing
 * else, one {@link RequestBatcher} differs from another.
 *
 * @param settings the queue, and how much a request holds
 * @param bytes the size of an item
 * @param open opens a new lane, and gives its name when it is open
 * @param run makes a request
 * @param check asks for the number of the last request of a lane that Redis remembers
 * @param repeatable the items of an answered request that are sent once more if Redis
 * forgets it
 * @param <T> what a request is made of
 * @param <R> the reply
 * @since 0.1.0
 */
public record RequestProtocol<T, R extends LaneReply<R>>(Settings settings, ToLongFunction<T> bytes,
		Supplier<CompletableFuture<String>> open, Run<T, R> run, Function<String, CompletableFuture<SenderState>> check,
		UnaryOperator<List<T>> repeatable) {

	/**
	 * A protocol whose answered requests are repeated as they were.
	 */
	public RequestProtocol(Settings settings, ToLongFunction<T> bytes, Supplier<CompletableFuture<String>> open,
			Run<T, R> run, Function<String, CompletableFuture<SenderState>> check) {
		this(settings, bytes, open, run, check, UnaryOperator.identity());
	}

	/**
	 * Makes a request.
	 *
	 * @param <T> what a request is made of
	 * @param <R> the reply
	 */
	@FunctionalInterface
	public interface Run<T, R> {

		/**
		 * Makes a request.
		 * @param lane an open lane
		 * @param seq the number of the request in that lane
		 * @param renews whether the store is to remember the lane for longer
		 * @param items what it is made of
		 * @param attempt whether it may have been carried out before
		 * @return the reply
		 */
		CompletableFuture<R> run(String lane, long seq, boolean renews, List<T> items, Attempt attempt);

	}

	/**
	 * Whether a request may have been carried out before, on another lane.
	 */
	public enum Attempt {

		/**
		 * It was not.
		 */
		FIRST(null, false),

		/**
		 * It may have been, and was not answered.
		 */
		AGAIN(SendRequest.HOLD_BACK, false),

		/**
		 * It was answered, and Redis has forgotten it.
		 */
		REPEATED(SendRequest.HOLD_BACK, true),

		/**
		 * It was answered, and Redis has forgotten it and its lane.
		 */
		REPEATED_OF_UNKNOWN_LANE(SendRequest.HOLD_BACK_UNKNOWN, true);

		private final @Nullable Duration holdBack;

		private final boolean answered;

		Attempt(@Nullable Duration holdBack, boolean answered) {
			this.holdBack = holdBack;
			this.answered = answered;
		}

		/**
		 * Returns for how long the messages of the request are held back.
		 * @return the duration, or {@code null} if they are not
		 */
		public @Nullable Duration holdBack() {
			return this.holdBack;
		}

		/**
		 * Returns whether the request was answered before.
		 * @return whether its caller has a reply
		 */
		public boolean wasAnswered() {
			return this.answered;
		}

	}

	/**
	 * The settings of a {@link RequestBatcher}.
	 *
	 * @param queue the queue
	 * @param kind the use of its lanes
	 * @param maxItems how many items a request has at most
	 * @param maxWaiting how many items wait at most; more are refused
	 * @param renewal how often a lane in use is renewed
	 * @param recognised for how long after its renewal Redis certainly remembers a lane
	 */
	public record Settings(String queue, Rollback.Lane kind, int maxItems, int maxWaiting, Duration renewal,
			Duration recognised) {

		/**
		 * Settings of lanes that are renewed in time.
		 */
		public Settings(String queue, Rollback.Lane kind, int maxItems, int maxWaiting) {
			this(queue, kind, maxItems, maxWaiting, SenderMemory.RENEWAL, SenderMemory.RECOGNISED);
		}

	}

}
