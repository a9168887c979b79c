package io.redelay.queue.admin;

import java.time.Instant;

import io.redelay.queue.MessageState;
import org.jspecify.annotations.Nullable;

/**
 * The result of an action on a message.
 *
 * @param state the state in which the message was found
 * @param done whether the message is now in the requested state
 * @param due when the message is due, if the action sets that or if it is scheduled
 * @param reason why nothing was done, if nothing was
 * @since 0.1.0
 */
public record CommandOutcome(MessageState state, boolean done, @Nullable Instant due, @Nullable String reason) {

}
