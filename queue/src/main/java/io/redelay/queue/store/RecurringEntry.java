package io.redelay.queue.store;

import java.time.Instant;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * What is known of a recurring message.
 *
 * @param time the present time by the clock of the store
 * @param known what is known, or {@code null} if nothing is
 * @param state what its runs hand on
 * @param living the uids of those of its messages that are neither acknowledged nor dead
 * @since 0.1.0
 */
public record RecurringEntry(Instant time, @Nullable String known, StoredRunState state, Set<String> living) {

}
