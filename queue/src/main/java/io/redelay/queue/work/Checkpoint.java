package io.redelay.queue.work;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.PayloadConversionException;

/**
 * How far the handling of a message has come, so that the next delivery goes on there. It
 * is kept with the message, is read by the next delivery however the last one ended, and
 * is removed with the message. A handler of single messages can take it as a parameter,
 * with the type of the state that it saves.
 * <p>
 * The state is converted as payloads are, so it is JSON unless a {@code MessageConverter}
 * of the application uses another format. It is written only while this instance holds
 * the message: a handler that has lost its message to another instance overwrites
 * nothing.
 * <p>
 * Safe for use by many threads.
 *
 * @param <T> the type of the state
 * @since 0.1.0
 */
public interface Checkpoint<T> {

	/**
	 * Returns the state that was saved last, by this delivery or by an earlier one. Each
	 * call returns a new object.
	 * @return the state, or nothing if there is none
	 * @throws PayloadConversionException if the state that an earlier delivery saved does
	 * not fit the type
	 */
	Optional<T> get();

	/**
	 * Saves a state: it is written to Redis with the next renewal of the lease, after
	 * {@code redelay.queue.work.write-interval} at the latest, and before the message is
	 * given back, retried or dead. If the instance dies before, the next delivery finds
	 * the state that was saved before. Of several states that are saved meanwhile only
	 * the last one is written. A state that is equal to the last one, as JSON, is not
	 * written. Does not block.
	 * @param state the state
	 * @throws CheckpointException if the state is too large or cannot be converted, or if
	 * this instance does not hold the message any more; what was saved before stays
	 */
	void save(T state);

	/**
	 * Saves a state, and returns when Redis has it. Blocks for a round trip; for longer
	 * while Redis does not answer.
	 * @param state the state
	 * @throws CheckpointException as {@link #save} does; and if Redis is full or does not
	 * answer: the state is written later then, if that becomes possible before the
	 * handling has ended
	 */
	void saveNow(T state);

	/**
	 * Saves a state as {@link #saveNow} does, without blocking.
	 * @param state the state
	 * @return completes when Redis has the state, or fails with a
	 * {@link CheckpointException}; on a thread that must not be blocked
	 */
	CompletableFuture<Void> saveAsync(T state);

	/**
	 * Removes the state, so that the next delivery finds none. It is removed from Redis
	 * when {@link #save} would write a state.
	 * @throws CheckpointException if this instance does not hold the message any more
	 */
	void clear();

}
