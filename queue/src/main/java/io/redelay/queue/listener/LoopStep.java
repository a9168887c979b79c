package io.redelay.queue.listener;

import org.jspecify.annotations.Nullable;

/**
 * What a loop does next.
 *
 * @param state the state that it entered for it
 * @param request what it sends, if the state is {@link LoopState#REQUESTING}
 */
record LoopStep(LoopState state, @Nullable PendingClaim request) {

}
