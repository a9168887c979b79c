package io.redelay.queue.handle;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.queue.message.Envelope;
import io.redelay.queue.notes.RunState;
import org.jspecify.annotations.Nullable;

/**
 * Decides about the claimed message of a recurring message's tick, before it is passed to
 * a handler.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface TickAdmission {

	/**
	 * Handles all ticks.
	 */
	TickAdmission NONE = (queue, uid, envelope) -> CompletableFuture.completedFuture(Verdict.HANDLE);

	/**
	 * Decides about a tick.
	 * @param queue the queue as the store knows it
	 * @param uid the uid of the message
	 * @param envelope the envelope as claimed
	 * @return a future of the verdict; if it fails, the message comes back later
	 */
	CompletableFuture<Verdict> admit(String queue, String uid, Envelope envelope);

	/**
	 * The decision about the message of a tick.
	 *
	 * @param action the action
	 * @param delay when it comes back, if it is to wait
	 * @param end called before the message is settled, which waits for the returned
	 * future; or {@code null}
	 * @param state the state that its run reads and passes on, or {@code null} if it is
	 * not a run
	 */
	record Verdict(Action action, Duration delay, @Nullable Supplier<CompletableFuture<?>> end,
			@Nullable RunState state) {

		/**
		 * The tick is handled, with no further action.
		 */
		public static final Verdict HANDLE = new Verdict(Action.HANDLE, Duration.ZERO, null, null);

		/**
		 * The tick is acknowledged unhandled.
		 */
		public static final Verdict SKIP = new Verdict(Action.SKIP, Duration.ZERO, null, null);

	}

	/**
	 * The actions for the message of a tick.
	 */
	enum Action {

		/**
		 * The tick goes to a handler.
		 */
		HANDLE,

		/**
		 * The tick is acknowledged unhandled.
		 */
		SKIP,

		/**
		 * The tick goes back to the queue, without counting an attempt.
		 */
		WAIT

	}

}
