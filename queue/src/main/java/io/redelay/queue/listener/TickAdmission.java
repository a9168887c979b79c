package io.redelay.queue.listener;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.queue.store.Envelope;
import io.redelay.queue.store.Uids;
import org.jspecify.annotations.Nullable;

/**
 * Decides what becomes of the claimed message of a tick of a recurring message, before it
 * is handed to a handler.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface TickAdmission {

	/**
	 * With what the uids of ticks end, so that other messages cost nothing.
	 */
	String UID_SUFFIX = Uids.TICK_SUFFIX;

	/**
	 * Handles all ticks.
	 */
	TickAdmission NONE = (queue, uid, envelope) -> CompletableFuture.completedFuture(Verdict.HANDLE);

	/**
	 * Decides about a tick.
	 * @param queue the queue as the store knows it
	 * @param uid the uid of the message
	 * @param envelope what was claimed
	 * @return what becomes of it; if that fails, the message comes back later
	 */
	CompletableFuture<Verdict> admit(String queue, String uid, Envelope envelope);

	/**
	 * What becomes of the message of a tick.
	 *
	 * @param action what is done
	 * @param delay after how long it comes back, if it is to wait
	 * @param end is called when the message is to be settled, which waits for what is
	 * returned; or {@code null}
	 * @param state what its run reads and hands on, or {@code null} if it is not a run
	 */
	record Verdict(Action action, Duration delay, @Nullable Supplier<CompletableFuture<?>> end,
			@Nullable RunState state) {

		/**
		 * It is handled, and nothing else.
		 */
		public static final Verdict HANDLE = new Verdict(Action.HANDLE, Duration.ZERO, null, null);

		/**
		 * It is acknowledged unhandled.
		 */
		public static final Verdict SKIP = new Verdict(Action.SKIP, Duration.ZERO, null, null);

	}

	/**
	 * What can be done with the message of a tick.
	 */
	enum Action {

		/**
		 * It goes to a handler.
		 */
		HANDLE,

		/**
		 * It is acknowledged unhandled.
		 */
		SKIP,

		/**
		 * It goes back to the queue, with no attempt counted.
		 */
		WAIT

	}

}
