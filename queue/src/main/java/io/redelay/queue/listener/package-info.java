/**
 * The container: claims messages, calls handlers within its permits, and settles the
 * messages.
 * <p>
 * To follow one message from its claim to its settlement, read these five files once,
 * downwards: {@link io.redelay.queue.listener.PollLoop} claims it,
 * {@link io.redelay.queue.listener.MessageDispatcher} finds a thread for it,
 * {@link io.redelay.queue.listener.HandlerInvocation} calls the handler, and
 * {@link io.redelay.queue.listener.Delivery} is settled once, by
 * {@link io.redelay.queue.listener.DeliverySettlement}. If the handler failed,
 * {@link io.redelay.queue.listener.failure.FailurePolicy} decides how. The settlement
 * goes with the next request of the loop.
 */
@NullMarked
package io.redelay.queue.listener;

import org.jspecify.annotations.NullMarked;
