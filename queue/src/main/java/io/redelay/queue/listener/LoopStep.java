package io.redelay.queue.listener;

import org.jspecify.annotations.Nullable;

/**
 * The next step of a loop.
 *
 * @param state the state that the loop entered for the step
 * @param request the request to send, if the state is {@link LoopState#REQUESTING}
 */
record LoopStep(LoopState state, @Nullable PendingClaim request) {

}
