package io.redelay.queue.handle;

import io.redelay.queue.failure.Causes;
import io.redelay.queue.listener.QueueErrorHandler;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;

/**
 * Calls the error handler of a queue after the handling of a message failed.
 *
 * @param errorHandler the error handler
 * @param handler returns the message as it was handled
 */
record Recovery(QueueErrorHandler errorHandler, DeliveryHandler handler) {

	/**
	 * Calls the error handler for a message whose handling failed.
	 * @return the failure that is left, or {@code null} if the error handler threw
	 * nothing
	 */
	@Nullable Throwable recover(Delivery delivery, Throwable failure) {
		try {
			this.errorHandler.handle(message(delivery), failure);
			return null;
		}
		catch (Throwable ex) {
			Throwable left = Causes.unwrap(ex);
			if (!isAmongCauses(failure, left) && !isAmongCauses(left, failure)) {
				left.addSuppressed(failure);
			}
			return left;
		}
	}

	private Message<?> message(Delivery delivery) {
		try {
			return this.handler.message(delivery);
		}
		catch (RuntimeException ex) {
			// The message cannot be converted now, so the error handler gets it as it was
			// sent.
			return delivery.message();
		}
	}

	private static boolean isAmongCauses(Throwable cause, Throwable failure) {
		return Causes.find(failure, (each) -> each == cause) != null;
	}

}
