package io.redelay.queue;

import java.util.Optional;

/**
 * What the runs of a recurring message hand on from one to the next, such as the time up
 * to which a partner's orders are read. A run reads what the last acknowledged one has
 * saved, and saves its own with its acknowledgement: both happen, or neither. A handler
 * of single messages can take it as a parameter, with the type of the state, or ask its
 * {@link MessageDelivery}.
 * <p>
 * A run that fails saves nothing. One whose acknowledgement comes when another run has
 * saved a state since, as after a pause of its instance that outlasted its lease, is not
 * acknowledged: it comes again, and reads that state.
 * <p>
 * The state is converted as payloads are, so it is JSON unless a {@code MessageConverter}
 * of the application makes something else of it. It is kept across restarts and changes
 * of the declaration, until the recurring message is removed.
 * <p>
 * Safe for use by many threads.
 *
 * @param <T> the type of the state
 * @since 0.1.0
 */
public interface RecurringState<T> {

	/**
	 * Returns the state that this run has set, or else the one that the last acknowledged
	 * run has saved. Each call makes a new object of it.
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
