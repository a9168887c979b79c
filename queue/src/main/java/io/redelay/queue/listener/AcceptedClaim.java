package io.redelay.queue.listener;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What a request brought.
 *
 * @param deliveries the messages, to be dispatched
 * @param nextLook when to look again unless something happens before, or {@code null}
 * @param watched whether there is nothing at all, and the queue is to be watched
 */
record AcceptedClaim(List<Delivery> deliveries, @Nullable Duration nextLook, boolean watched) {

}
