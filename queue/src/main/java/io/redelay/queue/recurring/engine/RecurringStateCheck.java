package io.redelay.queue.recurring.engine;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.redelay.queue.QueueListener;
import io.redelay.queue.config.RepeatedAnnotations;
import io.redelay.queue.listener.QueueHandler;
import io.redelay.queue.recurring.InvalidRecurringMessageException;
import io.redelay.queue.recurring.RecurringMessage;
import io.redelay.queue.work.RecurringState;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Checks that the handlers which take a {@link RecurringState} handle recurring messages,
 * when all are declared.
 */
final class RecurringStateCheck {

	private final ConfigurableListableBeanFactory beans;

	private final List<Handler> handlers = new ArrayList<>();

	RecurringStateCheck(ConfigurableListableBeanFactory beans) {
		this.beans = beans;
	}

	private record Handler(String place, List<QueueListener> listeners) {

	}

	/**
	 * Notes the methods of a bean that take a state and declare no recurring message.
	 */
	void add(String bean, Class<?> type) {
		for (Method method : MethodIntrospector.selectMethods(type, RecurringStateCheck::isToCheck)) {
			List<QueueListener> listeners = RepeatedAnnotations.nearest(method, QueueListener.class);
			if (listeners.isEmpty() && AnnotatedElementUtils.hasAnnotation(method, QueueHandler.class)) {
				listeners = RepeatedAnnotations.nearest(type, QueueListener.class);
			}
			if (!listeners.isEmpty()) {
				this.handlers.add(new Handler("The listener method " + ClassUtils.getQualifiedMethodName(method)
						+ " of the bean '" + bean + "'", listeners));
			}
		}
	}

	private static boolean isToCheck(Method method) {
		return Arrays.asList(method.getParameterTypes()).contains(RecurringState.class)
				&& RepeatedAnnotations.nearest(method, RecurringMessage.class).isEmpty();
	}

	/**
	 * Checks what was noted.
	 * @param engine knows what the application declares
	 * @throws InvalidRecurringMessageException if a handler has no recurring message
	 */
	void check(RecurringEngine engine) {
		this.handlers.forEach((handler) -> check(handler, engine));
	}

	private void check(Handler handler, RecurringEngine engine) {
		AnnotationAttributes attributes = new AnnotationAttributes(this.beans, handler.place());
		Set<String> queues = new LinkedHashSet<>();
		for (QueueListener listener : handler.listeners()) {
			if (attributes.text(listener.containerFactory(), "containerFactory") != null) {
				// Of another server, whose recurring messages the code does not declare.
				return;
			}
			for (String queue : listener.queues()) {
				String resolved = attributes.text(queue, "queues");
				queues.addAll(List.of(StringUtils.tokenizeToStringArray(resolved, ",")));
			}
		}
		DeclarationReader.check(queues.stream().anyMatch(engine::declares), handler.place(),
				"it takes a RecurringState, and the application declares no recurring message of "
						+ (queues.isEmpty() ? "a queue that it listens to" : "the queues " + queues),
				"Add @RecurringMessage to the method, or @RecurringMessage(cron = \"-\") if RecurringMessages or "
						+ "another application declares it; or leave the parameter out");
	}

}
