package io.redelay.samples.shop.timeline;

/**
 * What may happen to an order.
 */
public enum OrderEventKind {

	PLACED, PAID, CANCELLED

}
