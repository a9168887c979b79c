/**
 * Claims messages: the loops, their lanes and leases, the permits, wake-ups, and the
 * order of the queues.
 * <p>
 * To follow one message from its claim to its settlement, read these five files once,
 * downwards: {@link io.redelay.queue.claim.PollLoop} claims it,
 * {@link io.redelay.queue.handle.MessageDispatcher} finds a thread for it,
 * {@link io.redelay.queue.handle.HandlerInvocation} calls the handler, and
 * {@link io.redelay.queue.handle.Delivery} is settled once, by
 * {@link io.redelay.queue.handle.DeliverySettlement}. If the handler failed,
 * {@link io.redelay.queue.failure.FailurePolicy} decides how. The settlement goes with
 * the next request of the loop.
 */
@NullMarked
package io.redelay.queue.claim;

import org.jspecify.annotations.NullMarked;
