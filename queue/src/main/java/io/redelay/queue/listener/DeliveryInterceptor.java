package io.redelay.queue.listener;

import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;

/**
 * Intercepts the handling of each message of the listeners that name it in
 * {@link QueueListener#interceptors()}, or of all listeners if the bean is marked with
 * {@link GlobalInterceptor @GlobalInterceptor}. Global interceptors are the outer ones,
 * in their order, then those that are named, in the order of their names. The outermost
 * is called first before the handling, and last after it.
 * <p>
 * It is called for each message of a batch, but not for messages that are not handled:
 * those that cannot be read, have expired or crashed. Must be safe for use by many
 * threads.
 *
 * @since 0.1.0
 */
public interface DeliveryInterceptor {

	/**
	 * Called before the handling, on the handler's thread.
	 * @param message the message with its headers ({@link QueueHeaders}) and, unless an
	 * interceptor before replaced it, its payload as it was sent: a {@code byte[]}
	 * @return the message to handle, which may be another one: its payload may be bytes
	 * to be converted, or what the handler takes. The headers that begin with
	 * {@value QueueHeaders#PREFIX} do not change
	 * @throws Exception if the handling is to fail, as if the handler had thrown it
	 */
	default Message<?> beforeHandling(Message<?> message) throws Exception {
		return message;
	}

	/**
	 * Called when the handling is complete and the error handler was called, before the
	 * message is settled; for each message for which {@link #beforeHandling} returned. If
	 * the handler returned a future, this may be on another thread, which may block too.
	 * What it throws is logged and changes nothing.
	 * @param message the message that was handled
	 * @param failure what the handling failed with in the end, or {@code null} if it did
	 * not or the error handler dealt with it
	 */
	default void afterHandling(Message<?> message, @Nullable Throwable failure) {
	}

	/**
	 * Called on the thread on which {@link #beforeHandling} was called, when the handling
	 * leaves that thread: after {@link #afterHandling}, or, if the handler returned a
	 * future, before it. Use it to remove what was bound to the thread. What it throws is
	 * logged and changes nothing.
	 * @param message the message that was handled
	 */
	default void clearThreadState(Message<?> message) {
	}

}
