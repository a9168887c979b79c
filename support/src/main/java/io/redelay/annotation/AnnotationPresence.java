package io.redelay.annotation;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.HashSet;
import java.util.Set;

import org.springframework.util.ReflectionUtils;

/**
 * Finds out which annotations of Redelay may be on a class, so that the many beans
 * without one are not searched for each of them. A class is read once, for all
 * annotations, with what it extends and implements.
 *
 * @since 0.1.0
 */
public final class AnnotationPresence {

	private static final String OWN = "io.redelay.";

	/**
	 * Stands for any annotation, where those of a class cannot be read.
	 */
	private static final Class<? extends Annotation> ANY = Annotation.class;

	private static final ClassValue<Set<Class<? extends Annotation>>> OF_CLASS = new ClassValue<>() {

		@Override
		protected Set<Class<? extends Annotation>> computeValue(Class<?> type) {
			return ofClass(type);
		}

	};

	private static final ClassValue<Set<Class<? extends Annotation>>> OF_ANNOTATION = new ClassValue<>() {

		@Override
		protected Set<Class<? extends Annotation>> computeValue(Class<?> type) {
			Set<Class<? extends Annotation>> composed = new HashSet<>();
			addComposed(type.asSubclass(Annotation.class), composed);
			composed.removeIf((each) -> each != ANY && !each.getName().startsWith(OWN));
			return Set.copyOf(composed);
		}

	};

	private AnnotationPresence() {
	}

	/**
	 * Returns whether an annotation may be on a class or one of its methods, on what they
	 * extend, implement or override, or on an annotation there.
	 * @param annotation an annotation of Redelay
	 * @param type the class
	 * @return {@code false} if the annotation is certainly not there
	 */
	public static boolean isPossible(Class<? extends Annotation> annotation, Class<?> type) {
		Set<Class<? extends Annotation>> found = OF_CLASS.get(type);
		return !found.isEmpty() && (found.contains(annotation) || found.contains(ANY));
	}

	private static Set<Class<? extends Annotation>> ofClass(Class<?> type) {
		if (type.getName().startsWith("java.")) {
			return Set.of();
		}
		Set<Class<? extends Annotation>> found = new HashSet<>();
		if (type.getSuperclass() != null) {
			found.addAll(OF_CLASS.get(type.getSuperclass()));
		}
		for (Class<?> implemented : type.getInterfaces()) {
			found.addAll(OF_CLASS.get(implemented));
		}
		addOf(type, found);
		for (Method method : ReflectionUtils.getDeclaredMethods(type)) {
			addOf(method, found);
		}
		return Set.copyOf(found);
	}

	private static void addOf(AnnotatedElement element, Set<Class<? extends Annotation>> found) {
		for (Class<? extends Annotation> declared : declared(element)) {
			found.addAll(OF_ANNOTATION.get(declared));
		}
	}

	private static void addComposed(Class<? extends Annotation> annotation, Set<Class<? extends Annotation>> composed) {
		if (annotation.getName().startsWith("java.") || !composed.add(annotation)) {
			return;
		}
		for (Class<? extends Annotation> meta : declared(annotation)) {
			addComposed(meta, composed);
		}
		for (Method attribute : annotation.getDeclaredMethods()) {
			Class<?> repeated = attribute.getReturnType().getComponentType();
			if (repeated != null && repeated.isAnnotation()) {
				addComposed(repeated.asSubclass(Annotation.class), composed);
			}
		}
	}

	/**
	 * Returns the types of the annotations of an element. One with a class that is
	 * missing cannot be read, which is for the search to ignore or to report.
	 */
	private static Set<Class<? extends Annotation>> declared(AnnotatedElement element) {
		Annotation[] annotations;
		try {
			annotations = element.getDeclaredAnnotations();
		}
		catch (LinkageError | RuntimeException ex) {
			return Set.of(ANY);
		}
		Set<Class<? extends Annotation>> types = new HashSet<>();
		for (Annotation annotation : annotations) {
			types.add(annotation.annotationType());
		}
		return types;
	}

}
