package io.redelay.queue.config;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.redelay.queue.QueueListener;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.Assert;

/**
 * Finds the methods and classes with {@link QueueListener @QueueListener} and registers
 * them. Records them as beans are created. When all singletons exist, it creates lazy
 * beans with such annotations too, and rejects such beans that are no singletons.
 *
 * @since 0.1.0
 */
public class QueueListenerAnnotationBeanPostProcessor
		implements BeanPostProcessor, SmartInitializingSingleton, BeanFactoryAware {

	private final Set<Class<?>> without = ConcurrentHashMap.newKeySet();

	private final List<Found> found = new ArrayList<>();

	private @Nullable ConfigurableListableBeanFactory beanFactory;

	private boolean registering;

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		this.beanFactory = (ConfigurableListableBeanFactory) beanFactory;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (isInfrastructure(bean) || ScopedProxyUtils.isScopedTarget(beanName)) {
			return bean;
		}
		Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
		ListenerAnnotations annotations = annotations(type);
		if (annotations.isEmpty() || !isSingleton(beanName)) {
			return bean;
		}
		synchronized (this.found) {
			Found one = new Found(beanName, bean, type, annotations);
			if (this.registering) {
				register(one);
			}
			else {
				this.found.add(one);
			}
		}
		return bean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		ConfigurableListableBeanFactory factory = beanFactory();
		for (String name : factory.getBeanNamesForType(Object.class, true, false)) {
			if (ScopedProxyUtils.isScopedTarget(name)) {
				continue;
			}
			Class<?> type = AutoProxyUtils.determineTargetClass(factory, name);
			if (type != null && !annotations(type).isEmpty()) {
				if (isSingleton(name)) {
					factory.getBean(name);
				}
				else {
					throw new InvalidQueueListenerException(annotations(type).place(name, type),
							"the bean is not a singleton, so it is not clear which instance should be called",
							"Make the bean a singleton, or move the method to one");
				}
			}
		}
		synchronized (this.found) {
			this.registering = true;
			this.found.forEach((one) -> register(finished(one)));
			this.found.clear();
		}
	}

	/**
	 * A scoped proxy is marked as infrastructure, but it is the bean on which the methods
	 * are called.
	 */
	private static boolean isInfrastructure(Object bean) {
		return bean instanceof AopInfrastructureBean && !(bean instanceof ScopedObject);
	}

	private boolean isSingleton(String beanName) {
		try {
			return !beanFactory().containsBean(beanName) || beanFactory().isSingleton(beanName);
		}
		catch (NoSuchBeanDefinitionException ex) {
			return true;
		}
	}

	private ListenerAnnotations annotations(Class<?> type) {
		if (this.without.contains(type)) {
			return ListenerAnnotations.NONE;
		}
		ListenerAnnotations annotations = ListenerAnnotations.of(type);
		if (annotations.isEmpty()) {
			this.without.add(type);
		}
		return annotations;
	}

	/**
	 * Returns the bean as other beans get it: a proxy may have been created after this
	 * post-processor was called.
	 */
	private Found finished(Found one) {
		Object bean = beanFactory().containsSingleton(one.beanName()) ? beanFactory().getBean(one.beanName())
				: one.bean();
		return (AopProxyUtils.ultimateTargetClass(bean) == one.type())
				? new Found(one.beanName(), bean, one.type(), one.annotations()) : one;
	}

	private void register(Found one) {
		ListenerRegistrar registrar = new ListenerRegistrar(beanFactory());
		Map<Method, List<QueueListener>> methods = one.annotations().methods();
		methods.forEach((method, annotations) -> {
			boolean overloaded = methods.keySet()
				.stream()
				.filter((other) -> other.getName().equals(method.getName()))
				.count() > 1;
			registrar.register(one.beanName(), one.bean(), invocable(one, method), annotations, overloaded);
		});
		registerHandlers(one, registrar);
	}

	private static void registerHandlers(Found one, ListenerRegistrar registrar) {
		List<QueueListener> ofClass = one.annotations().ofClass();
		List<Method> handlers = one.annotations().handlers();
		if (ofClass.isEmpty() && handlers.isEmpty()) {
			return;
		}
		if (ofClass.isEmpty()) {
			throw new InvalidQueueListenerException(one.annotations().place(one.beanName(), one.type()),
					"its class has no @QueueListener that says which queues it listens to",
					"Add a @QueueListener to the class " + one.type().getName()
							+ ", or make the method a listener by itself with @QueueListener");
		}
		if (handlers.isEmpty()) {
			throw new InvalidQueueListenerException(one.annotations().place(one.beanName(), one.type()),
					"no method of the class has a @QueueHandler that could handle its messages",
					"Add @QueueHandler to the methods that do, or move the @QueueListener to a method");
		}
		registrar.registerClass(one.beanName(), one.bean(),
				handlers.stream().map((method) -> invocable(one, method)).toList(), ofClass);
	}

	private static Method invocable(Found one, Method method) {
		if (Modifier.isFinal(method.getModifiers()) && AopUtils.isCglibProxy(one.bean())) {
			throw new InvalidQueueListenerException(place(one, method),
					"the method is final, so the bean's proxy cannot pass calls of it on", "Make it not final");
		}
		if (Modifier.isStatic(method.getModifiers()) || Modifier.isPrivate(method.getModifiers())) {
			String modifier = Modifier.isStatic(method.getModifiers()) ? "static" : "private";
			throw new InvalidQueueListenerException(place(one, method),
					"the method is " + modifier + ", so it cannot be called through the bean",
					"Make it a public instance method");
		}
		try {
			return AopUtils.selectInvocableMethod(method, one.bean().getClass());
		}
		catch (IllegalStateException ex) {
			throw new InvalidQueueListenerException(place(one, method), null,
					"the bean is a JDK proxy, and the method with these parameters is in none of its interfaces",
					"Add the method to an interface, or use class-based proxies (spring.aop.proxy-target-class=true)",
					ex);
		}
	}

	private static String place(Found one, Method method) {
		return InvalidQueueListenerException.place(
				one.annotations().methods().containsKey(method) ? "@QueueListener" : "@QueueHandler", one.beanName(),
				method);
	}

	private ConfigurableListableBeanFactory beanFactory() {
		Assert.state(this.beanFactory != null, "The bean factory is not set");
		return this.beanFactory;
	}

	/**
	 * A bean with listeners.
	 */
	private record Found(String beanName, Object bean, Class<?> type, ListenerAnnotations annotations) {

	}

}
