package io.redelay.migration;

record TimeIsUp(String orderId) {

}
