package io.redelay.queue.admin;

import java.util.List;

import io.redelay.queue.work.LogLine;
import io.redelay.queue.work.MessageProgress;
import org.jspecify.annotations.Nullable;

/**
 * What the handlers of a message keep with it in Redis. It stays through retries, and
 * with a dead message. A message kept as completed keeps progress and log.
 *
 * @param progress how far the handling is, or {@code null} if no handler reported it
 * @param log the last lines that handlers wrote, over all attempts, the oldest one first
 * @param droppedLines how many lines before those were dropped, because there were more
 * than are kept
 * @param checkpoint the state from which the next attempt goes on, as it was saved; JSON
 * mostly; {@code null} if there is none
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are passed on, never compared or
											// changed
public record MessageWork(@Nullable MessageProgress progress, List<LogLine> log, long droppedLines,
		byte @Nullable [] checkpoint) {

	/**
	 * Nothing is kept.
	 */
	public static final MessageWork NONE = new MessageWork(null, List.of(), 0, null);

	/**
	 * Copies the lines.
	 */
	public MessageWork {
		log = List.copyOf(log);
	}

}
