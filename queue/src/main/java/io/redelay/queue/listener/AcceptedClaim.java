package io.redelay.queue.listener;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The messages that a request brought, and when to look again.
 *
 * @param deliveries the messages, to be dispatched
 * @param nextLook when to look again unless an event comes before, or {@code null}
 * @param watched whether the queue is empty and is to be watched
 */
record AcceptedClaim(List<Delivery> deliveries, @Nullable Duration nextLook, boolean watched) {

}
