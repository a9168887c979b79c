package io.redelay.queue.listener;

import java.io.ByteArrayOutputStream;

import org.jspecify.annotations.Nullable;

/**
 * A part of what a handler keeps beside its message, written from time to time.
 * <p>
 * Safe for use by many threads.
 */
interface WorkPart {

	/**
	 * Appends the changes to write, encoded by {@code WorkCodec.section}. They are
	 * appended again until they are written.
	 * @param sections collects the sections
	 * @return the action to run when they are written, or {@code null} if there is
	 * nothing to write
	 */
	@Nullable Runnable pending(ByteArrayOutputStream sections);

	/**
	 * Called when Redis went back in time, so that written changes may be lost, while the
	 * message is still held.
	 */
	default void forgotten() {
	}

	/**
	 * Called when nothing is written any more, because the message is not held.
	 */
	default void lost() {
	}

}
