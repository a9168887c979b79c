package io.redelay.queue.store;

import java.time.Instant;

import io.redelay.queue.MessageState;
import org.jspecify.annotations.Nullable;

/**
 * Where a message is.
 *
 * @param uid its uid
 * @param state its state
 * @param diedAt when it died, if it is dead
 * @since 0.1.0
 */
public record MessagePlace(String uid, MessageState state, @Nullable Instant diedAt) {

}
