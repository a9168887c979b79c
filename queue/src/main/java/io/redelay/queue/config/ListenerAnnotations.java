package io.redelay.queue.config;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.redelay.annotation.AnnotationPresence;
import io.redelay.queue.QueueListener;
import io.redelay.queue.listener.QueueHandler;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * The annotations of a class that make listeners of its methods.
 *
 * @param methods the methods that are listeners by themselves, each with at least one
 * annotation
 * @param ofClass the annotations of which each makes one listener of the handlers
 * @param handlers the methods that handle payload types
 */
record ListenerAnnotations(Map<Method, List<QueueListener>> methods, List<QueueListener> ofClass,
		List<Method> handlers) {

	static final ListenerAnnotations NONE = new ListenerAnnotations(Map.of(), List.of(), List.of());

	static ListenerAnnotations of(Class<?> type) {
		if (!AnnotationPresence.isPossible(QueueListener.class, type)
				&& !AnnotationPresence.isPossible(QueueHandler.class, type)) {
			return NONE;
		}
		Map<Method, List<QueueListener>> methods = MethodIntrospector.selectMethods(type,
				(MethodIntrospector.MetadataLookup<List<QueueListener>>) ListenerAnnotations::foundOn);
		Set<Method> handlers = MethodIntrospector.selectMethods(type,
				(Method method) -> AnnotatedElementUtils.hasAnnotation(method, QueueHandler.class));
		List<QueueListener> ofClass = RepeatedAnnotations.nearest(type, QueueListener.class);
		return new ListenerAnnotations(methods, ofClass, List.copyOf(handlers));
	}

	private static @Nullable List<QueueListener> foundOn(Method method) {
		List<QueueListener> found = RepeatedAnnotations.nearest(method, QueueListener.class);
		return found.isEmpty() ? null : found;
	}

	boolean isEmpty() {
		return this.methods.isEmpty() && this.ofClass.isEmpty() && this.handlers.isEmpty();
	}

	/**
	 * Returns where the annotations are, for a bean with at least one.
	 */
	String place(String beanName, Class<?> type) {
		if (!this.ofClass.isEmpty()) {
			return "@QueueListener on the class " + type.getName() + " of the bean '" + beanName + "'";
		}
		return this.methods.isEmpty()
				? InvalidQueueListenerException.place("@QueueHandler", beanName, this.handlers.get(0))
				: InvalidQueueListenerException.place("@QueueListener", beanName,
						this.methods.keySet().iterator().next());
	}

}
