package io.redelay.lock;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;

import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.annotation.SimpleReflectiveProcessor;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ReflectionUtils;

/**
 * Keeps annotated methods and their fallbacks callable in a native image.
 */
final class MyLockReflectiveProcessor extends SimpleReflectiveProcessor {

	@Override
	public void registerReflectionHints(ReflectionHints hints, AnnotatedElement element) {
		super.registerReflectionHints(hints, element);
		if (element instanceof Method method) {
			MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
				.get(MyLock.class)
				.getValue("fallback", String.class)
				.filter((name) -> !name.isEmpty())
				.map((name) -> ReflectionUtils.findMethod(method.getDeclaringClass(), name, method.getParameterTypes()))
				.ifPresent((fallback) -> hints.registerMethod(fallback, ExecutableMode.INVOKE));
		}
	}

}
