package io.redelay.queue.work;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.redelay.queue.QueueException;

/**
 * Lets an effect happen once, no matter what triggers it: a message, a request of a
 * browser, a job, in any instance. A key names the effect. While an action runs for a
 * key, no other one begins; once it has succeeded, none does until the window is over. If
 * it fails, or its instance dies, the key is free.
 * <p>
 * An effect and the record of its success are two steps, so an instance that dies between
 * them leaves a key that is free although the effect has happened. So it happens at least
 * once, and twice only for a crash at that moment.
 * <p>
 * Keys of this type are separate from those of listeners. A key is at least one character
 * that is no blank; a window is 1 ms to 3650 days, by the clock of Redis. An action may
 * take any time: its key is renewed while the instance lives. If Redis goes back in time,
 * it forgets the latest successes.
 * <p>
 * Safe for use by many threads. All methods throw a {@link QueueException} if Redis
 * cannot be reached; methods that return futures fail them with it.
 *
 * @since 0.1.0
 */
public interface Idempotency {

	/**
	 * Runs an action on the calling thread, unless it has succeeded. Waits while another
	 * one runs for the key, and takes its place if it fails.
	 * @param key the key
	 * @param window for how long the key is done after a success
	 * @param action the action
	 * @param <E> what the action throws
	 * @return whether it ran; else another one has succeeded
	 * @throws E what the action throws: the key is free then
	 * @throws QueueException if it is not known whether the key is free, so that nothing
	 * ran; or if the action succeeded and that could not be recorded; or if the thread is
	 * interrupted while it waits
	 */
	<E extends Exception> boolean once(String key, Duration window, Action<E> action) throws E;

	/**
	 * Runs an action on the calling thread, unless it has succeeded, or another one runs
	 * for the key.
	 * @param key the key
	 * @param window for how long the key is done after a success
	 * @param action the action
	 * @param <E> what the action throws
	 * @return whether it ran, and if not, why
	 * @throws E what the action throws: the key is free then
	 * @throws QueueException as from {@link #once}
	 */
	<E extends Exception> Outcome tryOnce(String key, Duration window, Action<E> action) throws E;

	/**
	 * Runs an action unless it has succeeded, without blocking. Waits while another one
	 * runs for the key, and takes its place if it fails.
	 * @param key the key
	 * @param window for how long the key is done after a success
	 * @param action begins the action, on a thread that may be blocked; it has succeeded
	 * when its result completes
	 * @return completes with whether it ran, or fails as the action does
	 */
	CompletableFuture<Boolean> onceAsync(String key, Duration window, Supplier<? extends CompletionStage<?>> action);

	/**
	 * Runs an action unless it has succeeded, or another one runs for the key, without
	 * blocking.
	 * @param key the key
	 * @param window for how long the key is done after a success
	 * @param action begins the action, on a thread that may be blocked; it has succeeded
	 * when its result completes
	 * @return completes with whether it ran, and if not, why; or fails as the action does
	 */
	CompletableFuture<Outcome> tryOnceAsync(String key, Duration window, Supplier<? extends CompletionStage<?>> action);

	/**
	 * Returns whether a key is done.
	 * @param key the key
	 * @return whether an action has succeeded for it and its window is not over
	 */
	boolean isDone(String key);

	/**
	 * Returns whether a key is done, without blocking.
	 * @param key the key
	 * @return completes with whether an action has succeeded for it and its window is not
	 * over
	 */
	CompletableFuture<Boolean> isDoneAsync(String key);

	/**
	 * Returns how long an action has been running for a key, to see why others wait.
	 * @param key the key
	 * @return the action that runs in any instance; empty if none does, or one has
	 * succeeded within its window
	 */
	Optional<Running> running(String key);

	/**
	 * Returns how long an action has been running for a key, without blocking.
	 * @param key the key
	 * @return completes with the action that runs in any instance
	 * @see #running
	 */
	CompletableFuture<Optional<Running>> runningAsync(String key);

	/**
	 * Makes a key done, as if an action had succeeded. A window that ends later holds.
	 * @param key the key
	 * @param window for how long the key is done
	 */
	void markDone(String key, Duration window);

	/**
	 * Makes a key done, without blocking.
	 * @param key the key
	 * @param window for how long the key is done
	 * @return completes when that is recorded
	 * @see #markDone
	 */
	CompletableFuture<Void> markDoneAsync(String key, Duration window);

	/**
	 * Makes a key that is done free. An action that runs for it goes on, and makes it
	 * done when it succeeds.
	 * @param key the key
	 */
	void forget(String key);

	/**
	 * Makes a key that is done free, without blocking.
	 * @param key the key
	 * @return completes when that is recorded
	 * @see #forget
	 */
	CompletableFuture<Void> forgetAsync(String key);

	/**
	 * What happens once.
	 *
	 * @param <E> what it throws
	 * @since 0.1.0
	 */
	@FunctionalInterface
	interface Action<E extends Exception> {

		/**
		 * Does it.
		 * @throws E if it failed
		 */
		void run() throws E;

	}

	/**
	 * An action that runs for a key.
	 *
	 * @param elapsed since when it has been running
	 * @param lease how long its instance keeps the key from now on if it does not renew
	 * it
	 * @since 0.1.0
	 */
	record Running(Duration elapsed, Duration lease) {
	}

	/**
	 * What became of an action that was to run once.
	 *
	 * @since 0.1.0
	 */
	enum Outcome {

		/**
		 * It ran, and succeeded.
		 */
		RAN,

		/**
		 * It did not run: one has succeeded for the key.
		 */
		DONE_BEFORE,

		/**
		 * It did not run: another one runs for the key.
		 */
		RUNS_ELSEWHERE

	}

}
