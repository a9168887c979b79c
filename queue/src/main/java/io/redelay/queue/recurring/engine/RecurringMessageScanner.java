package io.redelay.queue.recurring.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.redelay.kotlin.SuspendFunctions;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.config.RepeatedAnnotations;
import io.redelay.queue.recurring.InvalidRecurringMessageException;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.RecurringMessage;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Finds the methods with {@link RecurringMessage @RecurringMessage} when all beans exist,
 * and declares what they say.
 *
 * @since 0.1.0
 */
public final class RecurringMessageScanner implements SmartInitializingSingleton {

	private final ConfigurableListableBeanFactory beans;

	private final RecurringEngine engine;

	private final AnnotationAttributes attributes;

	/**
	 * Creates a scanner.
	 * @param beans the beans of the application
	 * @param engine declares what they define
	 */
	public RecurringMessageScanner(ConfigurableListableBeanFactory beans, RecurringEngine engine) {
		this.beans = beans;
		this.engine = engine;
		this.attributes = new AnnotationAttributes(beans);
	}

	@Override
	public void afterSingletonsInstantiated() {
		RecurringStateCheck states = new RecurringStateCheck(this.attributes);
		for (String name : this.beans.getBeanNamesForType(Object.class, true, false)) {
			if (ScopedProxyUtils.isScopedTarget(name)) {
				continue;
			}
			Class<?> type = AutoProxyUtils.determineTargetClass(this.beans, name);
			if (type != null && AnnotationUtils.isCandidateClass(type, RecurringMessage.class)) {
				methods(type).forEach((method, annotations) -> annotations
					.forEach((annotation) -> declare(name, method, annotation, annotations.size() > 1)));
			}
			if (type != null && AnnotationUtils.isCandidateClass(type, QueueListener.class)) {
				states.add(name, type);
			}
		}
		states.check(this.engine);
	}

	private static Map<Method, List<RecurringMessage>> methods(Class<?> type) {
		return MethodIntrospector.selectMethods(type,
				(MethodIntrospector.MetadataLookup<List<RecurringMessage>>) RecurringMessageScanner::foundOn);
	}

	private static @Nullable List<RecurringMessage> foundOn(Method method) {
		List<RecurringMessage> found = RepeatedAnnotations.nearest(method, RecurringMessage.class);
		return found.isEmpty() ? null : found;
	}

	private void declare(String bean, Method method, RecurringMessage annotation, boolean repeated) {
		String place = "The @RecurringMessage on the method " + ClassUtils.getQualifiedMethodName(method)
				+ " of the bean '" + bean + "'";
		String cron = this.attributes.text(annotation.cron(), "cron", place);
		if ("-".equals(cron)) {
			return;
		}
		String name = this.attributes.text(annotation.name(), "name", place);
		if (name == null && repeated) {
			throw new InvalidRecurringMessageException(place,
					"the method has several of these annotations, and this one has no 'name'",
					"Give each of them a 'name' of its own", null);
		}
		String zone = this.attributes.text(annotation.zone(), "zone", place);
		ZoneId zoneId = (zone != null) ? DeclarationReader.zone(zone, place) : null;
		List<QueueListener> listeners = RepeatedAnnotations.nearest(method, QueueListener.class);
		Duration lateAfter = this.attributes.duration(annotation.lateAfter(), "lateAfter", place);
		String queue = queue(annotation, listeners, place);
		RecurringDeclaration plain = new RecurringDeclaration(queue,
				(name != null) ? name : bean + "." + method.getName(), cron, zoneId,
				this.attributes.duration(annotation.every(), "every", place),
				!listeners.isEmpty() ? null : payload(bean, method, place), annotation.missed(),
				this.attributes
					.number(annotation.maxMissed(), RecurringDeclaration.DEFAULT_MAX_MISSED, "maxMissed", place),
				annotation.overlap(),
				this.attributes.number(annotation.maxQueued(), RecurringDeclaration.DEFAULT_MAX_QUEUED, "maxQueued",
						place),
				(lateAfter != null) ? lateAfter : RecurringDeclaration.DEFAULT_LATE_AFTER, tags(annotation, place),
				this.attributes.limits(annotation, zoneId, place), OutboundMessage.to(queue, ""));
		MessageAttributes message = this.attributes.message(annotation, place);
		this.engine.declare(DeclarationReader.options(plain, message::addTo, place), place);
	}

	private Set<String> tags(RecurringMessage annotation, String place) {
		Set<String> tags = new LinkedHashSet<>();
		for (String tag : annotation.tags()) {
			tags.add(Objects.requireNonNullElse(this.attributes.text(tag, "tags", place), ""));
		}
		return tags;
	}

	private String queue(RecurringMessage annotation, List<QueueListener> listeners, String place) {
		String named = this.attributes.text(annotation.queue(), "queue", place);
		if (named != null || listeners.isEmpty()) {
			return (named != null) ? named : "";
		}
		Set<String> queues = new LinkedHashSet<>();
		listeners.forEach((listener) -> queues.addAll(queues(listener, place)));
		if (queues.size() != 1) {
			throw new InvalidRecurringMessageException(place,
					"it does not say which of the queues of the @QueueListener is sent the messages: " + queues,
					"Name one of them in the attribute 'queue'", null);
		}
		return queues.iterator().next();
	}

	private List<String> queues(QueueListener listener, String place) {
		if (this.attributes.text(listener.containerFactory(), "containerFactory", place) != null) {
			throw new InvalidRecurringMessageException(place,
					"the @QueueListener names a container factory, so it may listen on another server",
					"Name the queue, or declare it by QueueServer.recurring() of that server", null);
		}
		if (this.attributes.text(listener.topic(), "topic", place) != null) {
			throw new InvalidRecurringMessageException(place, "the @QueueListener listens to a topic, not to a queue",
					"Declare it for a queue, and have the listener of that queue publish to the topic", null);
		}
		List<String> queues = new ArrayList<>();
		for (String queue : listener.queues()) {
			String resolved = this.attributes.text(queue, "queues", place);
			if (resolved != null) {
				queues.addAll(List.of(StringUtils.tokenizeToStringArray(resolved, ",")));
			}
		}
		return queues;
	}

	private Object payload(String bean, Method method, String place) {
		if (SuspendFunctions.isSuspend(method)) {
			throw new InvalidRecurringMessageException(place,
					"the method is a suspend function, and the payload is made once, when the application starts",
					"Leave suspend out, or add @QueueListener to handle the ticks", null);
		}
		if (method.getParameterCount() > 0 || method.getReturnType() == void.class) {
			throw new InvalidRecurringMessageException(place,
					"the method is neither a @QueueListener nor does it make a payload",
					"Add @QueueListener to handle the ticks, or have it take no parameters and return the payload",
					null);
		}
		Object target = this.beans.getBean(bean);
		try {
			Method invocable = AopUtils.selectInvocableMethod(method, AopProxyUtils.ultimateTargetClass(target));
			ReflectionUtils.makeAccessible(invocable);
			Object payload = invocable.invoke(target);
			if (payload == null) {
				throw new InvalidRecurringMessageException(place, "the method returned no payload",
						"Have it return one", null);
			}
			return payload;
		}
		catch (InvocationTargetException ex) {
			throw new InvalidRecurringMessageException(place,
					"the method could not make the payload: " + ex.getTargetException(), "See the cause",
					ex.getTargetException());
		}
		catch (IllegalAccessException | IllegalStateException ex) {
			throw new InvalidRecurringMessageException(place, "the method cannot be called: " + ex.getMessage(),
					"Make it a public instance method", ex);
		}
	}

}
