package io.redelay.queue.script.admin;

import java.time.Instant;
import java.util.Set;

import io.redelay.queue.message.StoredRunState;
import org.jspecify.annotations.Nullable;

/**
 * The stored state of a recurring message.
 *
 * @param time the present time by the clock of the store
 * @param known the stored state, or {@code null} if there is none
 * @param state the state that its runs pass on
 * @param living the uids of its messages that are neither acknowledged nor dead
 * @since 0.1.0
 */
public record RecurringEntry(Instant time, @Nullable String known, StoredRunState state, Set<String> living) {

}
