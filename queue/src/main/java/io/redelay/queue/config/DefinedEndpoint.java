package io.redelay.queue.config;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;

import io.redelay.queue.QueueListener;
import io.redelay.queue.listener.ListenerDefinition;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Makes an endpoint of a listener that is defined by code, as if it was annotated.
 */
final class DefinedEndpoint {

	private DefinedEndpoint() {
	}

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
			throw new InvalidQueueListenerException(place, null,
					"no method of " + type.getName() + " has a @QueueHandler that could handle its messages",
					"Add @QueueHandler to the methods that do, or name one with method(bean, \"…\")", null);
		}
		return new QueueListenerEndpoint(id, bean, handlers, true, null, attributes, id, place);
	}

	private static Method method(ListenerDefinition.Target.OfMethod target, String place) {
		Class<?> type = AopProxyUtils.ultimateTargetClass(target.bean());
		Set<Method> named = MethodIntrospector.selectMethods(type,
				(Method method) -> method.getName().equals(target.method()) && !method.isSynthetic());
		if (named.size() != 1) {
			throw new InvalidQueueListenerException(
					place, null, type.getName() + " has " + (named.isEmpty() ? "no method" : named.size() + " methods")
							+ " named '" + target.method() + "'",
					"Name a method of which there is one only, or use a lambda", null);
		}
		return AopUtils.selectInvocableMethod(named.iterator().next(), target.bean().getClass());
	}

}
