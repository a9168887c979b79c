package io.redelay.queue.config;

import java.lang.annotation.Annotation;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;

/**
 * Finds the beans that the attributes of an annotation name.
 */
record ListenerBeans(ListableBeanFactory beanFactory) {

	/**
	 * Returns the bean that an attribute names, or rejects the listener.
	 */
	<T> T named(QueueListenerEndpoint endpoint, String attribute, String name, Class<T> type) {
		try {
			return this.beanFactory.getBean(name, type);
		}
		catch (NoSuchBeanDefinitionException ex) {
			if (!name.equals(ex.getBeanName())) {
				throw ex;
			}
			throw endpoint.invalid(attribute, "there is no " + type.getSimpleName() + " bean named '" + name + "'",
					"Define the bean, or name none");
		}
		catch (BeanNotOfRequiredTypeException ex) {
			throw endpoint.invalid(attribute,
					"there is no " + type.getSimpleName() + " bean named '" + name + "': the bean of this name is a "
							+ ex.getActualType().getName(),
					"Define the bean as a " + type.getName() + ", or name another one");
		}
	}

	/**
	 * Returns all beans of a type that have an annotation, in their order.
	 */
	<T> List<T> marked(Class<T> type, Class<? extends Annotation> annotation) {
		Set<T> marked = Collections.newSetFromMap(new IdentityHashMap<>());
		for (String name : this.beanFactory.getBeanNamesForType(type)) {
			if (this.beanFactory.findAnnotationOnBean(name, annotation) != null) {
				marked.add(this.beanFactory.getBean(name, type));
			}
		}
		return this.beanFactory.getBeanProvider(type).orderedStream().filter(marked::contains).toList();
	}

	/**
	 * Returns the bean that is used if an annotation names none, if there is one.
	 */
	<T> @Nullable T byDefault(String name, Class<T> type) {
		return (this.beanFactory.containsBean(name) && this.beanFactory.isTypeMatch(name, type))
				? this.beanFactory.getBean(name, type) : null;
	}

}
