package io.redelay.samples.shop.timeline;

import java.time.Instant;

/**
 * Says what happened to an order.
 */
record OrderEvent(String orderId, String email, OrderEventKind kind, Instant happenedAt) {

}
