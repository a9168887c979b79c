package io.redelay.queue.store;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What one step of a check has found.
 *
 * @param time when that was, by the clock of the store
 * @param next where the next step goes on, or {@code null} if this was the last one of
 * its part
 * @param examined how many entries were looked at
 * @param bytes how large is what is kept of them, or 0
 * @param recorded how large everything of this part is according to the store, and of how
 * many messages, as one text; or {@code null} of a part that records no size
 * @param problems what is wrong
 * @since 0.1.0
 */
public record CheckStep(Instant time, @Nullable String next, int examined, long bytes, @Nullable String recorded,
		List<StoredProblem> problems) {

}
