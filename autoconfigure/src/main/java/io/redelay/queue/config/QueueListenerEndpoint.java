package io.redelay.queue.config;

import java.lang.reflect.Method;

import io.redelay.queue.QueueListener;

/**
 * An annotated method of a bean.
 *
 * @param beanName the name of the bean
 * @param bean the bean, through whose proxies the method is called
 * @param method the method, as it can be called on the bean
 * @param annotation the annotation
 * @param id the id of the listener
 * @since 0.1.0
 */
public record QueueListenerEndpoint(String beanName, Object bean, Method method, QueueListener annotation, String id) {

	InvalidQueueListenerException invalid(String attribute, String problem, String mend) {
		return new InvalidQueueListenerException(this.beanName, this.method, attribute, problem, mend, null);
	}

	InvalidQueueListenerException invalid(String problem, String mend) {
		return new InvalidQueueListenerException(this.beanName, this.method, null, problem, mend, null);
	}

	@Override
	public String toString() {
		return "listener '" + this.id + "' (" + this.method.getDeclaringClass().getName() + "." + this.method.getName()
				+ " of the bean '" + this.beanName + "')";
	}

}
