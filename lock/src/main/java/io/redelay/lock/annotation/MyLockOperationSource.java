package io.redelay.lock.annotation;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.redelay.annotation.AnnotationPresence;
import io.redelay.lock.MyLock;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds the annotation of a method: on itself or its class, on methods or types that they
 * override or implement, or on other annotations. Each is parsed once.
 */
final class MyLockOperationSource {

	private final Map<MethodClassKey, Entry> entries = new ConcurrentHashMap<>();

	private final MyLockReader reader;

	MyLockOperationSource(ConfigurableBeanFactory beanFactory) {
		this.reader = new MyLockReader(beanFactory);
	}

	boolean isCandidate(Class<?> targetClass) {
		return AnnotationUtils.isCandidateClass(targetClass, MyLock.class);
	}

	/**
	 * Returns whether a class may have the annotation on itself or on a method, inherited
	 * ones included.
	 */
	static boolean isPossible(Class<?> type) {
		return AnnotationPresence.isPossible(MyLock.class, type);
	}

	boolean isAnnotated(Method method, Class<?> targetClass) {
		return entry(method, targetClass).annotation != null;
	}

	/**
	 * Returns the parsed annotation of a method.
	 * @param method the method, of the class or of an interface
	 * @param targetClass the class
	 * @param beanName the name of the bean, for messages
	 * @return the annotation, or {@code null} if there is none
	 */
	@Nullable MyLockOperation find(Method method, Class<?> targetClass, @Nullable String beanName) {
		Entry entry = entry(method, targetClass);
		MergedAnnotation<MyLock> annotation = entry.annotation;
		if (annotation == null) {
			return null;
		}
		MyLockOperation operation = entry.operation;
		if (operation == null) {
			operation = this.reader.read(annotation, entry.method, targetClass,
					new MyLockPlace(beanName, entry.method));
			entry.operation = operation;
		}
		return operation;
	}

	private Entry entry(Method method, Class<?> targetClass) {
		MethodClassKey key = new MethodClassKey(method, targetClass);
		Entry entry = this.entries.get(key);
		if (entry == null) {
			Method specific = Proxy.isProxyClass(targetClass) ? method
					: AopUtils.getMostSpecificMethod(method, targetClass);
			entry = new Entry(specific, annotation(method, specific, targetClass));
			this.entries.put(key, entry);
		}
		return entry;
	}

	private @Nullable MergedAnnotation<MyLock> annotation(Method method, Method specific, Class<?> targetClass) {
		if (ReflectionUtils.isObjectMethod(specific) || !isCandidate(targetClass)) {
			return null;
		}
		MergedAnnotation<MyLock> own = find(specific);
		if (own == null && !specific.equals(method)) {
			own = find(method);
		}
		if (own != null || !ClassUtils.isUserLevelMethod(specific) || !Modifier.isPublic(specific.getModifiers())
				|| Modifier.isStatic(specific.getModifiers())) {
			return own;
		}
		return find(targetClass);
	}

	private static @Nullable MergedAnnotation<MyLock> find(AnnotatedElement element) {
		MergedAnnotation<MyLock> annotation = MergedAnnotations.from(element, SearchStrategy.TYPE_HIERARCHY)
			.get(MyLock.class);
		return annotation.isPresent() ? annotation : null;
	}

	/**
	 * The cached result for a method.
	 */
	private static final class Entry {

		private final Method method;

		private final @Nullable MergedAnnotation<MyLock> annotation;

		private volatile @Nullable MyLockOperation operation;

		Entry(Method method, @Nullable MergedAnnotation<MyLock> annotation) {
			this.method = method;
			this.annotation = annotation;
		}

	}

}
