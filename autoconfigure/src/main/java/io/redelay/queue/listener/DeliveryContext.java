package io.redelay.queue.listener;

import io.redelay.queue.listener.failure.FailurePolicy;
import io.redelay.queue.store.EnvelopeCodec;

/**
 * What all deliveries of one queue to one listener have in common.
 *
 * @param queue the name of the queue
 * @param listener the id of the listener
 * @param codec reads envelopes
 * @param policy decides about messages that were not handled
 */
record DeliveryContext(String queue, String listener, EnvelopeCodec codec, FailurePolicy policy) {

}
