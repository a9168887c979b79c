package io.redelay.queue.listener;

import java.util.concurrent.CompletableFuture;

/**
 * Has the checkpoint of one delivery written, with the rest of its work record.
 * <p>
 * Safe for use by many threads. No method blocks.
 */
final class CheckpointWriter {

	private final WorkRecord work;

	private final WorkKeeper keeper;

	CheckpointWriter(WorkRecord work, WorkKeeper keeper) {
		this.work = work;
		this.keeper = keeper;
	}

	/**
	 * Returns how many bytes a checkpoint has at most.
	 */
	int maxSize() {
		return this.keeper.settings().maxCheckpointSize();
	}

	/**
	 * Returns whether a checkpoint can be saved, as far as is known here.
	 */
	boolean isOpen() {
		return !this.work.holder().isSettled() && !this.work.isLost();
	}

	/**
	 * Has the checkpoint written soon.
	 */
	void changed() {
		this.keeper.changed(this.work);
	}

	/**
	 * Has the checkpoint written now.
	 * @return a future of the outcome; fails if that is unknown
	 */
	CompletableFuture<WorkKeeper.Outcome> write() {
		return this.keeper.flush(this.work);
	}

	/**
	 * Returns the message, for the log.
	 */
	@Override
	public String toString() {
		return this.work.toString();
	}

}
