package io.redelay.queue.listener;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

import io.redelay.queue.store.WorkCodec;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoint of one delivery: the last one that was saved, and whether Redis has it.
 * <p>
 * Safe for use by many threads.
 */
final class CheckpointBuffer implements WorkPart {

	private static final byte[] NOTHING = {};

	private final boolean resetsAttempts;

	private byte @Nullable [] current;

	/**
	 * Grows with each change.
	 */
	private long version;

	private long written;

	private boolean progressed;

	/**
	 * Whether Redis has forgotten the attempts.
	 */
	private boolean reset;

	private boolean lost;

	/**
	 * Creates the buffer of a delivery.
	 * @param saved the checkpoint of an earlier delivery, if there is one
	 * @param resetsAttempts whether the attempts of the message are forgotten when there
	 * is another checkpoint
	 */
	CheckpointBuffer(byte @Nullable [] saved, boolean resetsAttempts) {
		this.current = saved;
		this.resetsAttempts = resetsAttempts;
	}

	/**
	 * Returns the checkpoint that was saved last.
	 */
	synchronized byte @Nullable [] current() {
		return this.current;
	}

	/**
	 * Saves a checkpoint, or none.
	 * @return whether it is to be written; not if it is unchanged
	 */
	synchronized boolean save(byte @Nullable [] state) {
		if (Arrays.equals(state, this.current)) {
			return false;
		}
		this.current = state;
		this.version++;
		this.progressed |= state != null;
		return true;
	}

	/**
	 * Returns whether Redis lacks the last saved checkpoint.
	 */
	synchronized boolean isPending() {
		return this.version > this.written;
	}

	/**
	 * Returns whether Redis has forgotten the attempts of the message, because a
	 * checkpoint was saved. While Redis refuses the checkpoint, the attempts count.
	 */
	synchronized boolean hasReset() {
		return this.reset;
	}

	/**
	 * Returns whether Redis will forget the attempts of the message with the next write.
	 */
	synchronized boolean isToReset() {
		return forgetsAttempts() && isPending();
	}

	private boolean forgetsAttempts() {
		return this.resetsAttempts && this.progressed;
	}

	/**
	 * Returns whether nothing is written any more, because this instance has lost the
	 * message.
	 */
	synchronized boolean isLost() {
		return this.lost;
	}

	@Override
	public synchronized @Nullable Runnable pending(ByteArrayOutputStream sections) {
		if (this.version == this.written) {
			return null;
		}
		byte[] state = this.current;
		sections.writeBytes(WorkCodec.section('c', (state != null) ? state : NOTHING));
		boolean resets = forgetsAttempts();
		if (resets) {
			sections.writeBytes(WorkCodec.section('r', NOTHING));
		}
		long sent = this.version;
		return () -> written(sent, resets);
	}

	private synchronized void written(long sent, boolean resets) {
		this.written = Math.max(this.written, sent);
		this.reset |= resets;
	}

	/**
	 * Called when Redis may have an earlier checkpoint than this one, or none.
	 */
	@Override
	public synchronized void forgotten() {
		this.version++;
	}

	@Override
	public synchronized void lost() {
		this.lost = true;
		this.written = this.version;
	}

}
