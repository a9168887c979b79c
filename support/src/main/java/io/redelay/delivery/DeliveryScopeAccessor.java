package io.redelay.delivery;

import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Lets Micrometer's context propagation, where it is used, carry a {@link DeliveryScope}
 * to other threads. It is found as a service.
 *
 * @since 0.1.0
 */
public final class DeliveryScopeAccessor implements ThreadLocalAccessor<Object> {

	@Override
	public Object key() {
		return DeliveryScope.CONTEXT_KEY;
	}

	@Override
	public @Nullable Object getValue() {
		return DeliveryScope.current();
	}

	@Override
	public void setValue(Object value) {
		DeliveryScope.set(value);
	}

	@Override
	public void setValue() {
		DeliveryScope.set(null);
	}

}
