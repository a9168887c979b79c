package io.redelay.kotlin;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;

/**
 * Distinguishes suspend functions from other methods, and checks whether they can be
 * called. Needs no Kotlin on the class path.
 *
 * @since 0.1.0
 */
public final class SuspendFunctions {

	private static final String CONTINUATION = "kotlin.coroutines.Continuation";

	private static final String UNIT = "kotlin.Unit";

	private static final String FLOW = "kotlinx.coroutines.flow.Flow";

	private static final @Nullable String MISSING = findMissing(SuspendFunctions.class.getClassLoader());

	private SuspendFunctions() {
	}

	/**
	 * Returns whether a method is a suspend function: the compiler gives it one parameter
	 * more than its source shows.
	 */
	public static boolean isSuspend(Method method) {
		return method.getParameterCount() > 0
				&& isContinuation(method.getParameterTypes()[method.getParameterCount() - 1]);
	}

	/**
	 * Returns whether a parameter is the one that the compiler adds.
	 */
	public static boolean isContinuation(MethodParameter parameter) {
		return isContinuation(parameter.getParameterType());
	}

	private static boolean isContinuation(Class<?> type) {
		return type.getName().equals(CONTINUATION);
	}

	/**
	 * Returns whether a type is that of a {@code Flow}.
	 */
	public static boolean isFlow(Class<?> type) {
		return type.getName().equals(FLOW);
	}

	/**
	 * Returns the return type of a method in its source.
	 * @return the class; of a suspend function {@code void} for nothing, and
	 * {@code Object} if it is a type variable
	 */
	public static Class<?> returnType(Method method) {
		if (!isSuspend(method)) {
			return method.getReturnType();
		}
		Class<?> type = ResolvableType.forMethodParameter(method, method.getParameterCount() - 1)
			.getGeneric(0)
			.toClass();
		return type.getName().equals(UNIT) ? void.class : type;
	}

	/**
	 * Returns the dependencies that the application needs in order to call suspend
	 * functions, and does not have.
	 * @return the dependencies, or {@code null} if none is missing
	 */
	public static @Nullable String missing() {
		return MISSING;
	}

	private static @Nullable String findMissing(ClassLoader classLoader) {
		List<String> missing = new ArrayList<>();
		if (!ClassUtils.isPresent("kotlin.reflect.full.KCallables", classLoader)) {
			missing.add("org.jetbrains.kotlin:kotlin-reflect");
		}
		if (!ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", classLoader)) {
			missing.add("org.jetbrains.kotlinx:kotlinx-coroutines-reactor");
		}
		return missing.isEmpty() ? null : String.join(" and ", missing);
	}

}
