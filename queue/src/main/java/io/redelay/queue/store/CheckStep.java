package io.redelay.queue.store;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The findings of one step of a check.
 *
 * @param time when that was, by the clock of the store
 * @param next where the next step goes on, or {@code null} if this was the last one of
 * its part
 * @param examined how many entries were looked at
 * @param bytes how large the kept data of the entries is, or 0
 * @param recorded the recorded size of the part and its number of messages, as one text;
 * {@code null} if the part records no size
 * @param problems the problems
 * @since 0.1.0
 */
public record CheckStep(Instant time, @Nullable String next, int examined, long bytes, @Nullable String recorded,
		List<StoredProblem> problems) {

}
