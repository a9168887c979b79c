package io.redelay.samples.shop.order;

/**
 * Says that an order is paid.
 */
record OrderPaid(String orderId) {

}
