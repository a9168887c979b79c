package io.redelay.queue.handle;

import java.util.List;
import java.util.function.BiConsumer;

import io.redelay.log.PlainLog;
import io.redelay.queue.failure.FailureText;
import io.redelay.queue.listener.DeliveryInterceptor;
import io.redelay.queue.listener.ThreadStateInterceptor;
import io.redelay.queue.logging.MdcDeliveryInterceptor;
import io.redelay.queue.message.Envelope;
import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;

/**
 * Calls the interceptors of a listener before and after one handling.
 */
final class Interception {

	private static final Log logger = PlainLog.of(Interception.class);

	/**
	 * Calls nothing, because the listener has no interceptors.
	 */
	static final Interception NONE = new Interception(List.of(), List.of());

	private final List<DeliveryInterceptor> interceptors;

	private final List<Delivery> deliveries;

	/**
	 * How many interceptors were called for each message before its handling.
	 */
	private final int[] entered;

	private Interception(List<DeliveryInterceptor> interceptors, List<Delivery> deliveries) {
		this.interceptors = interceptors;
		this.deliveries = deliveries;
		this.entered = new int[deliveries.size()];
	}

	static Interception of(List<DeliveryInterceptor> interceptors, List<Delivery> deliveries) {
		for (Delivery delivery : deliveries) {
			if (delivery.sentEnvelope() == null) {
				// A delivery that is handled alone after its batch failed begins with the
				// message as it was sent.
				delivery.intercept(null);
			}
		}
		return interceptors.isEmpty() ? NONE : new Interception(interceptors, deliveries);
	}

	/**
	 * Calls the interceptors for all messages before the handling, until one interceptor
	 * throws.
	 */
	void before() throws Exception {
		for (int position = 0; position < this.entered.length; position++) {
			Delivery delivery = this.deliveries.get(position);
			for (DeliveryInterceptor interceptor : this.interceptors) {
				before(interceptor, delivery);
				this.entered[position]++;
			}
		}
	}

	private static void before(DeliveryInterceptor interceptor, Delivery delivery) throws Exception {
		Envelope sent = (interceptor instanceof MdcDeliveryInterceptor) ? delivery.sentEnvelope() : null;
		if (sent != null && interceptor instanceof MdcDeliveryInterceptor mdc) {
			DeliveryClaim claim = delivery.claim();
			mdc.beforeHandling(claim.queue(), claim.context().listener(), claim.id(), claim.attempt(), sent.headers());
		}
		else {
			delivery.intercept(before(interceptor, delivery.message()));
		}
	}

	private static Message<?> before(DeliveryInterceptor interceptor, Message<?> message) throws Exception {
		Message<?> replaced = interceptor.beforeHandling(message);
		if (replaced == null) {
			throw new IllegalStateException("The DeliveryInterceptor " + interceptor.getClass().getName()
					+ " gave null; return the message, or throw to let its handling fail");
		}
		return replaced;
	}

	/**
	 * Returns whether an interceptor is called after the handling.
	 */
	boolean isAwaited() {
		for (DeliveryInterceptor interceptor : this.interceptors) {
			if (isNotified(interceptor)) {
				return true;
			}
		}
		return false;
	}

	private static boolean isNotified(DeliveryInterceptor interceptor) {
		return !(interceptor instanceof ThreadStateInterceptor);
	}

	/**
	 * Calls the interceptors after a handling that ended in the same way for all
	 * messages.
	 */
	void after(@Nullable Throwable failure) {
		for (int position = this.entered.length - 1; position >= 0; position--) {
			after(position, failure);
		}
	}

	/**
	 * Calls the interceptors after the handling of one message.
	 */
	void after(int position, @Nullable Throwable failure) {
		if (this == NONE) {
			return;
		}
		Throwable reported = (failure != null) ? failure
				: this.deliveries.get(position).settlement().conversionFailure();
		for (int i = this.entered[position] - 1; i >= 0; i--) {
			if (isNotified(this.interceptors.get(i))) {
				call(position, i, (interceptor, delivery) -> interceptor.afterHandling(delivery.message(), reported));
			}
		}
	}

	void clearThreadState() {
		for (int position = this.entered.length - 1; position >= 0; position--) {
			for (int i = this.entered[position] - 1; i >= 0; i--) {
				call(position, i, Interception::clear);
			}
		}
	}

	private static void clear(DeliveryInterceptor interceptor, Delivery delivery) {
		if (interceptor instanceof MdcDeliveryInterceptor mdc) {
			mdc.clearThreadState();
		}
		else {
			interceptor.clearThreadState(delivery.message());
		}
	}

	private void call(int position, int number, BiConsumer<DeliveryInterceptor, Delivery> call) {
		Delivery delivery = this.deliveries.get(position);
		DeliveryInterceptor interceptor = this.interceptors.get(number);
		try {
			call.accept(interceptor, delivery);
		}
		catch (Throwable ex) {
			FailureText.warn(logger, "The DeliveryInterceptor " + interceptor.getClass().getName()
					+ " failed after the handling of the " + delivery + ", which changes nothing", ex);
		}
	}

}
