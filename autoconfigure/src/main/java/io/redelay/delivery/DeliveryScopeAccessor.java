package io.redelay.delivery;

import io.micrometer.context.ThreadLocalAccessor;
import org.jspecify.annotations.Nullable;

/**
 * Lets Micrometer's context propagation, where it is used, carry a {@link DeliveryScope}
 * to other threads. It is found as a service.
 *
 * @since 0.1.0
 */
public final class DeliveryScopeAccessor implements ThreadLocalAccessor<Boolean> {

	@Override
	public Object key() {
		return DeliveryScope.CONTEXT_KEY;
	}

	@Override
	public @Nullable Boolean getValue() {
		return DeliveryScope.isActive() ? true : null;
	}

	@Override
	public void setValue(Boolean value) {
		DeliveryScope.set(value);
	}

	@Override
	public void setValue() {
		DeliveryScope.set(false);
	}

}
