package io.redelay.queue.config;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;

import io.redelay.queue.QueueListener;
import io.redelay.queue.listener.ListenerDefinition;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A listener, or one of its methods: what is called, and the attributes that hold for it.
 *
 * @param beanName the name of the bean
 * @param bean the bean, through whose proxies its methods are called
 * @param methods the methods, as they can be called on the bean: one, or those of a class
 * that choose by the payload type
 * @param ofClass whether it is a class, of which each method handles payload types
 * @param parameter the type of the only parameter, if the method does not declare it
 * @param annotation the attributes
 * @param id the id of the listener
 * @param place where the listener is declared, in words
 */
record QueueListenerEndpoint(String beanName, Object bean, List<Method> methods, boolean ofClass,
		@Nullable ResolvableType parameter, QueueListener annotation, String id, String place) {

	/**
	 * Creates the endpoint of an annotated method.
	 */
	static QueueListenerEndpoint ofMethod(String beanName, Object bean, Method method, QueueListener annotation,
			String id) {
		return new QueueListenerEndpoint(beanName, bean, List.of(method), false, null, annotation, id,
				InvalidQueueListenerException.place("@QueueListener", beanName, method));
	}

	/**
	 * Creates the endpoint of an annotated class.
	 * @param methods its methods that handle payload types
	 */
	static QueueListenerEndpoint ofClass(String beanName, Object bean, List<Method> methods, QueueListener annotation,
			String id) {
		return new QueueListenerEndpoint(beanName, bean, methods, true, null, annotation, id,
				"@QueueListener on the class " + AopProxyUtils.ultimateTargetClass(bean).getName() + " of the bean '"
						+ beanName + "'");
	}

	/**
	 * Creates the endpoint of a listener that is defined by code, as if it was annotated.
	 */
	static QueueListenerEndpoint of(ListenerDefinition definition) {
		QueueListener attributes = AnnotationUtils.synthesizeAnnotation(definition.attributes(), QueueListener.class,
				null);
		String id = definition.id();
		String place = "listener '" + id + "' that is registered at run time";
		ListenerDefinition.Target target = definition.target();
		if (target instanceof ListenerDefinition.Target.OfFunction function) {
			Method method = ReflectionUtils.findMethod(ListenerDefinition.MessageFunction.class, "handle",
					Object.class);
			return new QueueListenerEndpoint(id, function.function(), List.of(method), false, function.parameter(),
					attributes, id, place);
		}
		if (target instanceof ListenerDefinition.Target.OfMethod one) {
			return new QueueListenerEndpoint(id, one.bean(), List.of(method(one, place)), false, null, attributes, id,
					place);
		}
		Object bean = ((ListenerDefinition.Target.OfHandlers) target).bean();
		Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
		List<Method> handlers = ListenerAnnotations.of(type)
			.handlers()
			.stream()
			.map((method) -> AopUtils.selectInvocableMethod(method, bean.getClass()))
			.toList();
		if (handlers.isEmpty()) {
			throw new InvalidQueueListenerException(place,
					"no method of " + type.getName() + " has a @QueueHandler that could handle its messages",
					"Add @QueueHandler to the methods that do, or name one with method(bean, \"…\")");
		}
		return new QueueListenerEndpoint(id, bean, handlers, true, null, attributes, id, place);
	}

	private static Method method(ListenerDefinition.Target.OfMethod target, String place) {
		Class<?> type = AopProxyUtils.ultimateTargetClass(target.bean());
		Set<Method> named = MethodIntrospector.selectMethods(type,
				(Method method) -> method.getName().equals(target.method()) && !method.isSynthetic());
		if (named.size() != 1) {
			throw new InvalidQueueListenerException(
					place, type.getName() + " has " + (named.isEmpty() ? "no method" : named.size() + " methods")
							+ " named '" + target.method() + "'",
					"Name a method of which there is one only, or use a lambda");
		}
		return AopUtils.selectInvocableMethod(named.iterator().next(), target.bean().getClass());
	}

	/**
	 * Returns the endpoint of one of the methods of a class.
	 */
	QueueListenerEndpoint handler(Method method) {
		return new QueueListenerEndpoint(this.beanName, this.bean, List.of(method), false, null, this.annotation,
				this.id, InvalidQueueListenerException.place("@QueueHandler", this.beanName, method));
	}

	QueueListenerEndpoint named(String id) {
		return new QueueListenerEndpoint(this.beanName, this.bean, this.methods, this.ofClass, this.parameter,
				this.annotation, id, this.place);
	}

	/**
	 * Returns the only method.
	 */
	Method method() {
		return this.methods.get(0);
	}

	InvalidQueueListenerException invalid(String attribute, String problem, String mend) {
		return invalid(attribute, problem, mend, null);
	}

	InvalidQueueListenerException invalid(String problem, String mend) {
		return invalid(null, problem, mend, null);
	}

	InvalidQueueListenerException invalid(@Nullable String attribute, String problem, String mend,
			@Nullable Throwable cause) {
		return new InvalidQueueListenerException(this.place, attribute, problem, mend, cause);
	}

	@Override
	public String toString() {
		if (this.ofClass) {
			return "listener '" + this.id + "' (" + AopProxyUtils.ultimateTargetClass(this.bean).getName()
					+ ", the bean '" + this.beanName + "')";
		}
		if (this.parameter != null || this.methods.isEmpty()) {
			return "listener '" + this.id + "'";
		}
		return "listener '" + this.id + "' (" + ClassUtils.getQualifiedMethodName(method()) + " of the bean '"
				+ this.beanName + "')";
	}

}
