/**
 * The container: claims messages, hands them to handlers within its permits, and settles
 * them.
 * <p>
 * To follow one message, read {@link io.redelay.queue.listener.QueueListenerContainer},
 * {@link io.redelay.queue.listener.PollLoop},
 * {@link io.redelay.queue.listener.MessageDispatcher},
 * {@link io.redelay.queue.listener.Delivery} and
 * {@link io.redelay.queue.listener.FailurePolicy}, in this order.
 */
@NullMarked
package io.redelay.queue.listener;

import org.jspecify.annotations.NullMarked;
