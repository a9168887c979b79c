package io.redelay.queue.listener;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What the handler of one delivery keeps beside its message. There is none while a
 * handler asks for nothing of the kind.
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
	 * @param saved what an earlier delivery saved, if there is something
	 * @param resetsAttempts whether another checkpoint has the attempts forgotten
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
	 * Returns whether Redis has forgotten the attempts of the message, because it has a
	 * checkpoint that was saved.
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
	 * Returns whether Redis has refused to keep something because another instance may
	 * have the message.
	 */
	boolean isLost() {
		return this.lost;
	}

	/**
	 * Takes note that Redis keeps nothing of it any more, for this instance does not hold
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
	 * Has all written again, for Redis went back in time.
	 */
	synchronized void forgotten() {
		this.parts.forEach(WorkPart::forgotten);
	}

	/**
	 * Returns what is to be written now, or {@code null} if that is nothing.
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
	 * The delivery, which calls itself by a text for people.
	 */
	interface Holder {

		String uid();

		long claim();

		String queue();

		boolean isSettled();

		/**
		 * Takes note that this instance does not hold the message any more.
		 */
		void lost();

	}

	/**
	 * Something that is written.
	 *
	 * @param number grows with each write of the delivery
	 * @param sections what the store is given
	 * @param written to be run when it has that
	 */
	@SuppressWarnings("ArrayRecordComponent") // the bytes are handed on, never compared
												// or changed
	record Write(long number, byte[] sections, Runnable written) {

	}

}
