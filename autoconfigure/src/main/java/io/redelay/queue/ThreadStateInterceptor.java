package io.redelay.queue;

/**
 * A {@link DeliveryInterceptor} that looks after the state of the handler's thread and no
 * more: it is not told when the handling is complete, so the end of a future needs no
 * other thread for its sake.
 *
 * @since 0.1.0
 */
public interface ThreadStateInterceptor extends DeliveryInterceptor {

}
