package io.redelay.queue.listener;

import java.io.ByteArrayOutputStream;

import org.jspecify.annotations.Nullable;

/**
 * Something that a handler keeps beside its message, and that is written from time to
 * time.
 * <p>
 * Safe for use by many threads.
 */
interface WorkPart {

	/**
	 * Appends what is to be written, as {@code WorkCodec.section} makes it. The same
	 * comes again until it is written.
	 * @param sections gets the sections
	 * @return what to do when they are written, or {@code null} if there is nothing to
	 * write
	 */
	@Nullable Runnable pending(ByteArrayOutputStream sections);

	/**
	 * Takes note that Redis went back in time, so that what was written may be gone,
	 * while the message is still held.
	 */
	default void forgotten() {
	}

	/**
	 * Takes note that nothing is written any more, for the message is not held.
	 */
	default void lost() {
	}

}
