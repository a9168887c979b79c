package io.redelay.queue.event;

/**
 * The lease of a listener of this instance has run out before it was renewed: the
 * instance stood still, or did not reach Redis. Published as an application event in its
 * instance, on a thread of its own, once for each lease, when the listener goes on under
 * a new one.
 *
 * @param listener the id of the listener
 * @param queue the queue
 * @param messages how many messages its lane held
 * @param lost how many of these were lost: other listeners get them, or already have
 * @since 0.1.0
 */
public record LeaseLostEvent(String listener, String queue, int messages, int lost) {

}
