package io.redelay.queue.work;

import java.util.Optional;

import io.redelay.queue.PayloadConversionException;

/**
 * The state that each run of a recurring message passes to the next, such as the time up
 * to which a partner's orders are read. A run reads what the last acknowledged one has
 * saved, and saves its own with its acknowledgement: both happen, or neither. A handler
 * of single messages can take it as a parameter, with the type of the state, or ask its
 * {@link MessageDelivery}.
 * <p>
 * A run that fails saves nothing. If another run has saved a state in the meantime, as
 * after a pause of the instance that outlasted its lease, the run is not acknowledged: it
 * is delivered again, and reads that state.
 * <p>
 * The state is converted as payloads are, so it is JSON unless a {@code MessageConverter}
 * of the application uses another format. It is kept across restarts and changes of the
 * declaration, until the recurring message is removed.
 * <p>
 * Safe for use by many threads.
 *
 * @param <T> the type of the state
 * @since 0.1.0
 */
public interface RecurringState<T> {

	/**
	 * Returns the state that this run has set, or else the one that the last acknowledged
	 * run has saved. Each call returns a new object.
	 * @return the state, or nothing if there is none
	 * @throws PayloadConversionException if what an earlier run saved does not fit the
	 * type
	 */
	Optional<T> get();

	/**
	 * Sets the state, which is saved when this run is acknowledged. The last call counts.
	 * Does not block.
	 * @param state the state
	 * @throws IllegalArgumentException if the state cannot be converted, or is larger
	 * than {@code redelay.queue.work.max-checkpoint-size}; what was set before stays
	 * @throws IllegalStateException if the message is settled already
	 */
	void set(T state);

	/**
	 * Has the next run find no state if this one is acknowledged.
	 * @throws IllegalStateException if the message is settled already
	 */
	void clear();

}
