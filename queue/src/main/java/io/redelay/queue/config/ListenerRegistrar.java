package io.redelay.queue.config;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

import io.redelay.kotlin.SuspendFunctions;
import io.redelay.log.PlainLog;
import io.redelay.queue.GroupFilter;
import io.redelay.queue.QueueListener;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.handle.ContainerSettings;
import org.apache.commons.logging.Log;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Creates and registers the container for the endpoint of an annotated method.
 */
record ListenerRegistrar(ConfigurableListableBeanFactory beanFactory) {

	private static final Log logger = PlainLog.of(ListenerRegistrar.class);

	/**
	 * Registers the listeners of one method.
	 * @param overloaded whether another method of the bean that listens has the same name
	 */
	void register(String beanName, Object bean, Method method, List<QueueListener> annotations, boolean overloaded) {
		String name = beanName + "." + method.getName();
		if (overloaded) {
			name += Arrays.stream(method.getParameterTypes())
				.limit(SuspendFunctions.isSuspend(method) ? method.getParameterCount() - 1 : method.getParameterCount())
				.map(Class::getSimpleName)
				.collect(Collectors.joining(",", "(", ")"));
		}
		registerAll(name, annotations,
				(annotation, id) -> QueueListenerEndpoint.ofMethod(beanName, bean, method, annotation, id));
	}

	/**
	 * Registers the listeners of a class.
	 * @param handlers its methods that handle payload types
	 */
	void registerClass(String beanName, Object bean, List<Method> handlers, List<QueueListener> annotations) {
		registerAll(beanName, annotations,
				(annotation, id) -> QueueListenerEndpoint.ofClass(beanName, bean, handlers, annotation, id));
	}

	/**
	 * Registers listeners. Without an id of its own, the second is distinguished from the
	 * first by its number.
	 */
	private void registerAll(String name, List<QueueListener> annotations,
			BiFunction<QueueListener, String, QueueListenerEndpoint> endpoints) {
		for (int i = 0; i < annotations.size(); i++) {
			QueueListenerEndpoint endpoint = endpoints.apply(annotations.get(i),
					(i == 0) ? name : name + "-" + (i + 1));
			String id = attributes(endpoint).text("id", annotations.get(i).id());
			register((id != null) ? endpoint.named(id) : endpoint);
		}
	}

	QueueListenerContainer register(QueueListenerEndpoint endpoint) {
		QueueListenerSupport support = this.beanFactory.getBean(QueueListenerSupport.class);
		ListenerAttributes attributes = attributes(endpoint);
		QueueListenerContainerFactory factory = factory(attributes);
		DeliveryHandlerFactory handlers = new DeliveryHandlerFactory(this.beanFactory, support.converter(),
				support.validator(), factory.runtime().handlers().executor());
		ListenerValues ofAnnotation = attributes.values();
		ContainerSettings settings = new ContainerSettingsResolver(attributes, support.defaults(),
				factory::instanceGroup)
			.resolve(ofAnnotation, handlers.takesBatches(endpoint));
		settings.queues()
			.keySet()
			.stream()
			.filter(support.defaults().aggregating()::contains)
			.forEach((queue) -> handlers.checkAggregate(endpoint, queue));
		settings.queues()
			.forEach((queue, each) -> LimitsResolver
				.of(new DeclaredValues(attributes, queue, ofAnnotation, support.defaults()))
				.checkScope(each.limits(), factory.runtime().claims()));
		QueueListenerEndpointRegistry registry = this.beanFactory.getBean(QueueListenerEndpointRegistry.class);
		registry.refuseTaken(endpoint);
		factory.refuseOtherFilter(endpoint, settings);
		QueueListenerContainer container = factory.createContainer(settings, handlers.create(endpoint));
		factory.deadLetterRoutes().add(endpoint, settings, support.defaults().deadLetters());
		registry.register(endpoint, container, () -> factory.forget(endpoint));
		settings.queues().forEach((queue, each) -> warnIfShared(queue, endpoint.id(), each.filters().group(), factory));
		return container;
	}

	private ListenerAttributes attributes(QueueListenerEndpoint endpoint) {
		return new ListenerAttributes(endpoint, this.beanFactory);
	}

	private void warnIfShared(String queue, String id, GroupFilter filter, QueueListenerContainerFactory factory) {
		String other = factory.firstListener(queue, id, filter);
		if (other != null) {
			logger.warn("The listeners '" + other + "' and '" + id + "' of this application share the queue '" + queue
					+ "': each message goes to one of them, whichever asks first, and it may be the same one all the"
					+ " time. If both are to have each message, publish it to a topic of"
					+ " which each has a group, or send it to a queue for each of them");
		}
	}

	private QueueListenerContainerFactory factory(ListenerAttributes attributes) {
		String name = attributes.text("containerFactory", attributes.annotation().containerFactory());
		return (name != null) ? attributes.bean("containerFactory", name, QueueListenerContainerFactory.class)
				: this.beanFactory.getBean(QueueListenerContainerFactory.DEFAULT_BEAN_NAME,
						QueueListenerContainerFactory.class);
	}

}
