/**
 * The container: claims messages, calls handlers within its permits, and settles what
 * they were given.
 * <p>
 * To follow one message from its claim to its settlement, read these five files once,
 * downwards: {@link io.redelay.queue.listener.PollLoop} claims it,
 * {@link io.redelay.queue.listener.MessageDispatcher} finds a thread for it,
 * {@link io.redelay.queue.listener.HandlerInvocation} calls the handler,
 * {@link io.redelay.queue.listener.Delivery} is settled once, and
 * {@link io.redelay.queue.listener.failure.FailurePolicy} decides how if the handler
 * failed. The settlement goes with the next request of the loop.
 */
@NullMarked
package io.redelay.queue.listener;

import org.jspecify.annotations.NullMarked;
