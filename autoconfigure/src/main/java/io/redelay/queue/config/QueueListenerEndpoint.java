package io.redelay.queue.config;

import java.lang.reflect.Method;

import io.redelay.queue.QueueListener;

/**
 * A method that is to be called with messages.
 *
 * @param beanName the name of its bean
 * @param bean its bean, through whose proxies it is called
 * @param method the method, as it can be called on the bean
 * @param annotation what its annotation says
 * @param id the name of the listener
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
