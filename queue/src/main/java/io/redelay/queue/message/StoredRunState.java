package io.redelay.queue.message;

import org.jspecify.annotations.Nullable;

/**
 * The state that runs of a recurring message pass on.
 *
 * @param token the name of this state; each save has another one
 * @param value the state, or {@code null} if there is none
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared or
											// changed
public record StoredRunState(String token, byte @Nullable [] value) {

	/**
	 * The state if none was saved yet.
	 */
	public static final StoredRunState NONE = new StoredRunState("-", null);

	/**
	 * The state if the recurring message was removed: a run that began before saves
	 * nothing.
	 */
	public static final StoredRunState REMOVED = new StoredRunState("!", null);

	/**
	 * Reads a state from the store.
	 * @param stored the stored bytes: the token, a blank, and the state
	 * @return the state, {@link #NONE} if the store has nothing
	 */
	public static StoredRunState read(byte[] stored) {
		HeadedBytes read = HeadedBytes.read(stored, ' ');
		return read.head().isEmpty() ? NONE
				: new StoredRunState(read.head(), (read.rest().length > 0) ? read.rest() : null);
	}

}
