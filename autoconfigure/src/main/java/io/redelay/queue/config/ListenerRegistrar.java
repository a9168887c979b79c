package io.redelay.queue.config;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

import io.redelay.queue.QueueListener;
import io.redelay.queue.listener.ContainerSettings;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Takes an annotated method the way from endpoint to registered container.
 */
final class ListenerRegistrar {

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
		QueueListenerContainerFactory factory = factory(endpoint);
		factory.deadLetterRoutes().add(endpoint, settings, support.defaults().deadLetters());
		this.beanFactory.getBean(QueueListenerEndpointRegistry.class)
			.register(endpoint, factory.createContainer(settings, handlers.create(endpoint)));
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
