package io.redelay.queue.work;

import java.time.Duration;

import reactor.core.publisher.Mono;

/**
 * Lets an effect happen once, as {@link Idempotency} does, for reactive code. Nothing
 * happens before a subscription. If it is cancelled, an action that has begun runs to its
 * end; one that has not begun does not begin.
 *
 * @since 0.1.0
 */
public interface ReactiveIdempotency {

	/**
	 * Runs an action unless it has succeeded. Waits while another one runs for the key.
	 * @param key the key
	 * @param window for how long the key is done after a success
	 * @param action the action, which has succeeded when it completes
	 * @return emits whether it ran, or fails as the action does
	 * @see Idempotency#once
	 */
	Mono<Boolean> once(String key, Duration window, Mono<?> action);

	/**
	 * Runs an action unless it has succeeded, or another one runs for the key.
	 * @param key the key
	 * @param window for how long the key is done after a success
	 * @param action the action, which has succeeded when it completes
	 * @return emits whether it ran, and if not, why; or fails as the action does
	 * @see Idempotency#tryOnce
	 */
	Mono<Idempotency.Outcome> tryOnce(String key, Duration window, Mono<?> action);

	/**
	 * Returns whether a key is done.
	 * @param key the key
	 * @return emits whether an action has succeeded for it and its window is not over
	 */
	Mono<Boolean> isDone(String key);

	/**
	 * Returns how long an action has been running for a key.
	 * @param key the key
	 * @return emits the action that runs in any instance, and nothing if none does
	 * @see Idempotency#running
	 */
	Mono<Idempotency.Running> running(String key);

	/**
	 * Makes a key done, as if an action had succeeded.
	 * @param key the key
	 * @param window for how long the key is done
	 * @return completes when that is recorded
	 */
	Mono<Void> markDone(String key, Duration window);

	/**
	 * Makes a key that is done free.
	 * @param key the key
	 * @return completes when that is recorded
	 */
	Mono<Void> forget(String key);

}
