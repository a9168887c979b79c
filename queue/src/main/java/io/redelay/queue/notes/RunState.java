package io.redelay.queue.notes;

import java.lang.reflect.Type;
import java.util.Optional;
import java.util.UUID;

import io.redelay.queue.PayloadConversionException;
import io.redelay.queue.message.SavedRunState;
import io.redelay.queue.message.StoredRunState;
import io.redelay.queue.work.CheckpointException;
import io.redelay.queue.work.RecurringState;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

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

	/**
	 * Returns the state as the handler of the run sees it.
	 * @param <T> the type of the state
	 * @param converter converts the state
	 * @param type the type of the state
	 * @param maxSize how many bytes it has at most
	 * @param message the message of the run, for people
	 * @throws PayloadConversionException if the saved state does not fit the type
	 */
	public <T> RecurringState<T> toRecurringState(CheckpointConverter converter, Type type, int maxSize,
			Object message) {
		HandlerState<T> seen = new HandlerState<>(this, converter, type, maxSize, message);
		// Fails now if the saved state does not fit the type.
		seen.get();
		return seen;
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
	public synchronized void reset() {
		this.current = this.read.value();
		this.changed = false;
	}

	/**
	 * Ends the run.
	 * @return the state to save with its acknowledgement, or {@code null} if it has set
	 * none
	 */
	public synchronized @Nullable SavedRunState end() {
		this.ended = true;
		return this.changed
				? new SavedRunState(this.name, this.read.token(), UUID.randomUUID().toString(), this.current) : null;
	}

	/**
	 * The state of a recurring message, as the handler of one run sees it.
	 *
	 * @param <T> the type of the state
	 */
	private record HandlerState<T>(RunState state, CheckpointConverter converter, Type type, int maxSize,
			Object subject) implements RecurringState<T> {

		@Override
		@SuppressWarnings("unchecked") // the type is T
		public Optional<T> get() {
			byte[] stored = this.state.current();
			return (stored != null) ? Optional.ofNullable((T) this.converter.read(stored, this.type, this))
					: Optional.empty();
		}

		@Override
		public void set(T state) {
			Assert.notNull(state, "'state' must not be null: call clear() to save none");
			byte[] converted = convert(state);
			Assert.isTrue(converted.length <= this.maxSize, () -> "The " + this + " has " + converted.length
					+ " bytes, and at most " + this.maxSize
					+ " are kept. Set where the next run has to continue instead of what this one did, or raise "
					+ "'redelay.queue.work.max-checkpoint-size'");
			change(converted);
		}

		private byte[] convert(T state) {
			try {
				return this.converter.write(state, this);
			}
			catch (CheckpointException ex) {
				throw new IllegalArgumentException(ex.getMessage(), ex);
			}
		}

		@Override
		public void clear() {
			change(null);
		}

		private void change(byte @Nullable [] stored) {
			Assert.state(this.state.set(stored), () -> "The " + this
					+ " cannot be set any more: its run is settled. Set it before the acknowledgement");
		}

		@Override
		public String toString() {
			return "state of the recurring message of the " + this.subject;
		}

	}

}
