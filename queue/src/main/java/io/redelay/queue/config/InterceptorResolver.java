package io.redelay.queue.config;

import java.util.ArrayList;
import java.util.List;

import io.redelay.queue.listener.DeliveryInterceptor;
import io.redelay.queue.listener.GlobalInterceptor;

/**
 * Finds the interceptors of a listener: the global ones, then those that its annotation
 * names.
 */
final class InterceptorResolver {

	private final AttributeResolver attributes;

	private final ListenerBeans beans;

	InterceptorResolver(AttributeResolver attributes, ListenerBeans beans) {
		this.attributes = attributes;
		this.beans = beans;
	}

	List<DeliveryInterceptor> resolve(QueueListenerEndpoint endpoint) {
		List<DeliveryInterceptor> interceptors = new ArrayList<>(
				this.beans.marked(DeliveryInterceptor.class, GlobalInterceptor.class));
		for (String name : this.attributes.texts(endpoint, "interceptors", endpoint.annotation().interceptors())) {
			DeliveryInterceptor named = this.beans.named(endpoint, "interceptors", name, DeliveryInterceptor.class);
			if (interceptors.stream().noneMatch((each) -> each == named)) {
				interceptors.add(named);
			}
		}
		return List.copyOf(interceptors);
	}

}
