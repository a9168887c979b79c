package io.redelay.queue.notes;

import java.lang.reflect.Type;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import io.redelay.queue.work.Checkpoint;
import io.redelay.queue.work.CheckpointException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The checkpoint of one delivery, as its handler sees it.
 *
 * @param notes hold the saved state
 * @param converter converts states
 * @param type the type of the state
 * @param <T> the type of the state
 */
record SavedCheckpoint<T>(HandlerNotes notes, CheckpointConverter converter, Type type) implements Checkpoint<T> {

	@Override
	@SuppressWarnings("unchecked") // the type is T
	public Optional<T> get() {
		byte[] stored = this.notes.checkpoint();
		return (stored != null) ? Optional.ofNullable((T) this.converter.read(stored, this.type, this))
				: Optional.empty();
	}

	@Override
	public void save(T state) {
		if (set(state)) {
			this.notes.changed();
		}
	}

	@Override
	public void saveNow(T state) {
		try {
			saveAsync(state).get();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new CheckpointException(CheckpointException.Reason.UNKNOWN,
					"The thread was interrupted while it saved the checkpoint of the " + this.notes
							+ "; it is written unless the handling ends before",
					ex);
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof CheckpointException known) ? known
					: new CheckpointException(CheckpointException.Reason.UNKNOWN, unknown(), ex.getCause());
		}
	}

	@Override
	public CompletableFuture<Void> saveAsync(T state) {
		set(state);
		if (!this.notes.isCheckpointPending()) {
			return this.notes.isLost() ? CompletableFuture.failedFuture(lost())
					: CompletableFuture.completedFuture(null);
		}
		return this.notes.flush().handle((outcome, failure) -> {
			CheckpointException refusal = refusal(outcome, failure);
			if (refusal != null) {
				throw refusal;
			}
			return null;
		});
	}

	@Override
	public void clear() {
		checkHeld();
		if (this.notes.save(null)) {
			this.notes.changed();
		}
	}

	private boolean set(T state) {
		Assert.notNull(state, "'state' must not be null: call clear() to have no checkpoint");
		checkHeld();
		byte[] stored = this.converter.write(state, this);
		if (stored.length > this.notes.settings().maxCheckpointSize()) {
			throw new CheckpointException(CheckpointException.Reason.TOO_LARGE,
					"The checkpoint of the " + this.notes + " has " + stored.length + " bytes, and at most "
							+ this.notes.settings().maxCheckpointSize()
							+ " are kept. Save where to go on instead of what was done, or raise "
							+ "'redelay.queue.work.max-checkpoint-size'",
					null);
		}
		return this.notes.save(stored);
	}

	private void checkHeld() {
		if (!this.notes.isOpen()) {
			throw lost();
		}
	}

	private @Nullable CheckpointException refusal(NotesWriter.@Nullable Outcome outcome, @Nullable Throwable failure) {
		if (failure != null || outcome == null) {
			return new CheckpointException(CheckpointException.Reason.UNKNOWN, unknown(), failure);
		}
		return switch (outcome) {
			case WRITTEN -> this.notes.isLost() ? lost() : null;
			case FULL -> new CheckpointException(CheckpointException.Reason.REDIS_FULL,
					"Redis is full, so the checkpoint of the " + this.notes
							+ " is not written yet. Raise its 'maxmemory', or remove what is not needed",
					null);
			case LOST -> lost();
		};
	}

	private String unknown() {
		return "It is unknown whether Redis has the checkpoint of the " + this.notes
				+ "; it is written again unless the handling ends before";
	}

	private CheckpointException lost() {
		return new CheckpointException(CheckpointException.Reason.LOST, "The checkpoint of the " + this.notes
				+ " cannot be saved: this instance does not hold the message any more. Another one may handle it: stop",
				null);
	}

	@Override
	public String toString() {
		return "checkpoint of the " + this.notes;
	}

}
