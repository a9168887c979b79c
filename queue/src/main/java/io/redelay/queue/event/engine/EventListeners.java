package io.redelay.queue.event.engine;

import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.context.event.GenericApplicationListenerAdapter;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;

/**
 * Finds out whether a listener of the application takes events of a type, so that none is
 * created if not. A listener that takes events of all types does not count.
 */
final class EventListeners {

	private final ApplicationContext context;

	EventListeners(ApplicationContext context) {
		this.context = context;
	}

	boolean areThereFor(Class<?> type) {
		for (ApplicationContext each = this.context; each != null; each = each.getParent()) {
			if (each instanceof AbstractApplicationContext known
					&& known.getApplicationListeners().stream().anyMatch((listener) -> takes(listener, type))) {
				return true;
			}
		}
		return false;
	}

	private static boolean takes(ApplicationListener<?> listener, Class<?> type) {
		GenericApplicationListener generic = (listener instanceof GenericApplicationListener own) ? own
				: new GenericApplicationListenerAdapter(listener);
		return generic.supportsEventType(event(type)) && !generic.supportsEventType(event(UnknownEvent.class));
	}

	private static ResolvableType event(Class<?> payload) {
		return ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, payload);
	}

	/**
	 * Only listeners that take all events take this one.
	 */
	private record UnknownEvent(@Nullable Object value) {

	}

}
