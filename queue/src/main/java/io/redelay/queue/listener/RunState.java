package io.redelay.queue.listener;

import java.util.UUID;

import io.redelay.queue.store.SavedRunState;
import io.redelay.queue.store.StoredRunState;
import org.jspecify.annotations.Nullable;

/**
 * The state that one run of a recurring message has read, and the one that it passes to
 * the next run when it is acknowledged.
 *
 * @since 0.1.0
 */
public final class RunState {

	private final String name;

	private final StoredRunState read;

	private byte @Nullable [] current;

	private boolean changed;

	private boolean ended;

	/**
	 * Creates the state of a run.
	 * @param name the name of the recurring message
	 * @param read the stored state when the run began
	 */
	public RunState(String name, StoredRunState read) {
		this.name = name;
		this.read = read;
		this.current = read.value();
	}

	synchronized byte @Nullable [] current() {
		return this.current;
	}

	/**
	 * Sets the state for the next run, or none.
	 * @return whether that counts: not after the message is settled
	 */
	synchronized boolean set(byte @Nullable [] state) {
		if (this.ended) {
			return false;
		}
		this.current = state;
		this.changed = true;
		return true;
	}

	/**
	 * Resets the state because the handling has failed. An error handler may recover from
	 * that, and the message is acknowledged all the same.
	 */
	synchronized void reset() {
		this.current = this.read.value();
		this.changed = false;
	}

	/**
	 * Ends the run.
	 * @return the state to save with its acknowledgement, or {@code null} if it has set
	 * none
	 */
	synchronized @Nullable SavedRunState end() {
		this.ended = true;
		return this.changed
				? new SavedRunState(this.name, this.read.token(), UUID.randomUUID().toString(), this.current) : null;
	}

}
