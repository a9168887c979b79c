package io.redelay.queue.listener;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The progress, log lines and checkpoint that the handler of one delivery keeps beside
 * its message. There is no record until a handler uses one of them.
 * <p>
 * Safe for use by many threads.
 */
final class WorkRecord {

	private final Holder holder;

	private final WorkReport report;

	private final List<WorkPart> parts = new ArrayList<>();

	/**
	 * {@code null} while the handler has not asked for it.
	 */
	private @Nullable CheckpointBuffer checkpoint;

	/**
	 * The number of the last write.
	 */
	private long number;

	private volatile boolean lost;

	WorkRecord(Holder holder, WorkSettings settings) {
		this.holder = holder;
		this.report = new WorkReport(settings);
		this.parts.add(this.report);
	}

	/**
	 * Returns the checkpoint.
	 * @param saved the checkpoint of an earlier delivery, if there is one
	 * @param resetsAttempts whether another checkpoint resets the attempts
	 */
	synchronized CheckpointBuffer checkpoint(byte @Nullable [] saved, boolean resetsAttempts) {
		if (this.checkpoint == null) {
			this.checkpoint = new CheckpointBuffer(saved, resetsAttempts);
			if (this.lost) {
				this.checkpoint.lost();
			}
			this.parts.add(this.checkpoint);
		}
		return this.checkpoint;
	}

	/**
	 * Returns whether Redis has forgotten the attempts of the message, because a
	 * checkpoint was saved.
	 */
	synchronized boolean hasReset() {
		return this.checkpoint != null && this.checkpoint.hasReset();
	}

	/**
	 * Returns whether Redis will forget the attempts of the message with the next write.
	 */
	synchronized boolean isToReset() {
		return this.checkpoint != null && this.checkpoint.isToReset();
	}

	/**
	 * Returns the progress and the lines.
	 */
	WorkReport report() {
		return this.report;
	}

	/**
	 * Returns whether Redis has refused a write because another instance may have the
	 * message.
	 */
	boolean isLost() {
		return this.lost;
	}

	/**
	 * Records that Redis keeps no further changes, because this instance does not hold
	 * the message.
	 * @return whether that is unexpected, and happens for the first time
	 */
	boolean lose() {
		synchronized (this) {
			if (this.lost) {
				return false;
			}
			this.lost = true;
			this.parts.forEach(WorkPart::lost);
		}
		if (this.holder.isSettled()) {
			return false;
		}
		this.holder.lost();
		return true;
	}

	Holder holder() {
		return this.holder;
	}

	/**
	 * Has all parts written again, because Redis went back in time.
	 */
	synchronized void forgotten() {
		this.parts.forEach(WorkPart::forgotten);
	}

	/**
	 * Returns the next write, or {@code null} if there is nothing to write.
	 */
	synchronized @Nullable Write pending() {
		if (this.lost) {
			return null;
		}
		ByteArrayOutputStream sections = new ByteArrayOutputStream();
		List<Runnable> written = new ArrayList<>();
		for (WorkPart part : this.parts) {
			Runnable each = part.pending(sections);
			if (each != null) {
				written.add(each);
			}
		}
		return written.isEmpty() ? null
				: new Write(++this.number, sections.toByteArray(), () -> written.forEach(Runnable::run));
	}

	@Override
	public String toString() {
		return this.holder.toString();
	}

	/**
	 * The delivery, whose {@code toString()} is a text for people.
	 */
	interface Holder {

		String uid();

		long claim();

		String queue();

		boolean isSettled();

		/**
		 * Called when this instance does not hold the message any more.
		 */
		void lost();

	}

	/**
	 * A write of the changed parts.
	 *
	 * @param number grows with each write of the delivery
	 * @param sections the encoded changes
	 * @param written run when the store has the changes
	 */
	@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared
												// or changed
	record Write(long number, byte[] sections, Runnable written) {

	}

}
