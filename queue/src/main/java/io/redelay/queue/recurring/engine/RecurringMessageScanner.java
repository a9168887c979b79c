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

import io.redelay.annotation.AnnotationPresence;
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

	/**
	 * Creates a scanner.
	 * @param beans the beans of the application
	 * @param engine declares what they define
	 */
	public RecurringMessageScanner(ConfigurableListableBeanFactory beans, RecurringEngine engine) {
		this.beans = beans;
		this.engine = engine;
	}

	@Override
	public void afterSingletonsInstantiated() {
		RecurringStateCheck states = new RecurringStateCheck(this.beans);
		for (String name : this.beans.getBeanNamesForType(Object.class, true, false)) {
			if (ScopedProxyUtils.isScopedTarget(name)) {
				continue;
			}
			Class<?> type = AutoProxyUtils.determineTargetClass(this.beans, name);
			if (type != null && AnnotationPresence.isPossible(RecurringMessage.class, type)) {
				methods(type).forEach((method, annotations) -> annotations
					.forEach((annotation) -> declare(name, method, annotation, annotations.size() > 1)));
			}
			if (type != null && AnnotationPresence.isPossible(QueueListener.class, type)) {
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
		AnnotationAttributes attributes = new AnnotationAttributes(this.beans, place);
		String cron = attributes.text(annotation.cron(), "cron");
		if ("-".equals(cron)) {
			return;
		}
		String name = attributes.text(annotation.name(), "name");
		DeclarationReader.check(name != null || !repeated, place,
				"the method has several of these annotations, and this one has no 'name'",
				"Give each of them a 'name' of its own");
		String zone = attributes.text(annotation.zone(), "zone");
		ZoneId zoneId = (zone != null) ? DeclarationReader.zone(zone, place) : null;
		List<QueueListener> listeners = RepeatedAnnotations.nearest(method, QueueListener.class);
		Duration lateAfter = attributes.duration(annotation.lateAfter(), "lateAfter");
		String queue = queue(annotation, listeners, attributes);
		RecurringDeclaration plain = new RecurringDeclaration(queue,
				(name != null) ? name : bean + "." + method.getName(), cron, zoneId,
				attributes.duration(annotation.every(), "every"),
				!listeners.isEmpty() ? null : payload(bean, method, place), annotation.missed(),
				attributes.number(annotation.maxMissed(), RecurringDeclaration.DEFAULT_MAX_MISSED, "maxMissed"),
				annotation.overlap(),
				attributes.number(annotation.maxQueued(), RecurringDeclaration.DEFAULT_MAX_QUEUED, "maxQueued"),
				(lateAfter != null) ? lateAfter : RecurringDeclaration.DEFAULT_LATE_AFTER, tags(annotation, attributes),
				attributes.limits(annotation, zoneId), OutboundMessage.to(queue, ""));
		MessageAttributes message = attributes.message(annotation);
		this.engine.declare(DeclarationReader.options(plain, message::addTo, place), place);
	}

	private static Set<String> tags(RecurringMessage annotation, AnnotationAttributes attributes) {
		Set<String> tags = new LinkedHashSet<>();
		for (String tag : annotation.tags()) {
			tags.add(Objects.requireNonNullElse(attributes.text(tag, "tags"), ""));
		}
		return tags;
	}

	private static String queue(RecurringMessage annotation, List<QueueListener> listeners,
			AnnotationAttributes attributes) {
		String named = attributes.text(annotation.queue(), "queue");
		if (named != null || listeners.isEmpty()) {
			return (named != null) ? named : "";
		}
		Set<String> queues = new LinkedHashSet<>();
		listeners.forEach((listener) -> queues.addAll(queues(listener, attributes)));
		DeclarationReader.check(queues.size() == 1, attributes.place(),
				"it does not say which of the queues of the @QueueListener is sent the messages: " + queues,
				"Name one of them in the attribute 'queue'");
		return queues.iterator().next();
	}

	private static List<String> queues(QueueListener listener, AnnotationAttributes attributes) {
		DeclarationReader.check(attributes.text(listener.containerFactory(), "containerFactory") == null,
				attributes.place(), "the @QueueListener names a container factory, so it may listen on another server",
				"Name the queue, or declare it by QueueServer.recurring() of that server");
		DeclarationReader.check(attributes.text(listener.topic(), "topic") == null, attributes.place(),
				"the @QueueListener listens to a topic, not to a queue",
				"Declare it for a queue, and have the listener of that queue publish to the topic");
		List<String> queues = new ArrayList<>();
		for (String queue : listener.queues()) {
			String resolved = attributes.text(queue, "queues");
			if (resolved != null) {
				queues.addAll(List.of(StringUtils.tokenizeToStringArray(resolved, ",")));
			}
		}
		return queues;
	}

	private Object payload(String bean, Method method, String place) {
		DeclarationReader.check(!SuspendFunctions.isSuspend(method), place,
				"the method is a suspend function, and the payload is made once, when the application starts",
				"Leave suspend out, or add @QueueListener to handle the ticks");
		DeclarationReader.check(method.getParameterCount() == 0 && method.getReturnType() != void.class, place,
				"the method is neither a @QueueListener nor does it make a payload",
				"Add @QueueListener to handle the ticks, or have it take no parameters and return the payload");
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
