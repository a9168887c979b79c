package io.redelay.queue.config;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

import io.redelay.queue.QueueListener;
import io.redelay.queue.listener.ContainerSettings;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Makes a registered container of the endpoint of an annotated method.
 */
final class ListenerRegistrar {

	private static final Log logger = LogFactory.getLog(ListenerRegistrar.class);

	private final ConfigurableListableBeanFactory beanFactory;

	private final AttributeResolver attributes;

	private final ListenerBeans beans;

	ListenerRegistrar(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.attributes = new AttributeResolver(beanFactory);
		this.beans = new ListenerBeans(beanFactory);
	}

	void register(String beanName, Object bean, Method method, QueueListener annotation, boolean overloaded) {
		QueueListenerEndpoint endpoint = endpoint(beanName, bean, method, annotation, overloaded);
		QueueListenerSupport support = this.beanFactory.getBean(QueueListenerSupport.class);
		DeliveryHandlerFactory handlers = new DeliveryHandlerFactory(this.beanFactory, support.converter(),
				support.validator());
		ContainerSettings settings = new ContainerSettingsResolver(this.attributes, support.defaults(), this.beans)
			.resolve(endpoint, handlers.batchParameter(endpoint) != null);
		settings.queues()
			.keySet()
			.stream()
			.filter(support.defaults().aggregating()::contains)
			.forEach((queue) -> handlers.checkAggregate(endpoint, queue));
		QueueListenerContainerFactory factory = factory(endpoint);
		LimitScope.check(endpoint, settings, factory.claims());
		factory.deadLetterRoutes().add(endpoint, settings, support.defaults().deadLetters());
		this.beanFactory.getBean(QueueListenerEndpointRegistry.class)
			.register(endpoint, factory.createContainer(settings, handlers.create(endpoint)));
		settings.queues().keySet().forEach((queue) -> warnIfShared(queue, endpoint.id(), factory));
	}

	private void warnIfShared(String queue, String id, QueueListenerContainerFactory factory) {
		String other = factory.firstListener(queue, id);
		if (other != null) {
			logger.warn("The listeners '" + other + "' and '" + id + "' of this application share the queue '" + queue
					+ "': each message goes to one of them, whichever asks first, and it may be the same one all the"
					+ " time. If both are to have each message, send it to a queue for each of them");
		}
	}

	private QueueListenerEndpoint endpoint(String beanName, Object bean, Method method, QueueListener annotation,
			boolean overloaded) {
		String name = beanName + "." + method.getName();
		if (overloaded) {
			name += Arrays.stream(method.getParameterTypes())
				.map(Class::getSimpleName)
				.collect(Collectors.joining(",", "(", ")"));
		}
		QueueListenerEndpoint unnamed = new QueueListenerEndpoint(beanName, bean, method, annotation, name);
		String id = this.attributes.text(unnamed, "id", annotation.id());
		return (id != null) ? new QueueListenerEndpoint(beanName, bean, method, annotation, id) : unnamed;
	}

	private QueueListenerContainerFactory factory(QueueListenerEndpoint endpoint) {
		String name = this.attributes.text(endpoint, "containerFactory", endpoint.annotation().containerFactory());
		return (name != null)
				? this.beans.named(endpoint, "containerFactory", name, QueueListenerContainerFactory.class)
				: this.beanFactory.getBean(QueueListenerContainerFactory.DEFAULT_BEAN_NAME,
						QueueListenerContainerFactory.class);
	}

}
