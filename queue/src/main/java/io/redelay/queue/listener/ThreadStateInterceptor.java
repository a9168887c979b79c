package io.redelay.queue.listener;

/**
 * A {@link DeliveryInterceptor} that only sets the state of the handler's thread. It is
 * not called when the handling is complete, so that the completion of a future needs no
 * other thread for it.
 *
 * @since 0.1.0
 */
public interface ThreadStateInterceptor extends DeliveryInterceptor {

}
