package io.redelay.lock.annotation;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;

/**
 * The place of an annotation, for messages.
 *
 * @param beanName the name of the bean, if it is known
 * @param method the method
 */
record MyLockPlace(@Nullable String beanName, Method method) {

	InvalidMyLockException invalid(@Nullable String attribute, String problem, String mend) {
		return invalid(attribute, problem, mend, null);
	}

	InvalidMyLockException invalid(@Nullable String attribute, String problem, String mend, @Nullable Throwable cause) {
		String of = (attribute != null) ? "The attribute '" + attribute + "' of the @MyLock" : "The @MyLock";
		String bean = (this.beanName != null) ? " of the bean '" + this.beanName + "'" : "";
		return new InvalidMyLockException(
				of + " on the method " + ClassUtils.getQualifiedMethodName(this.method) + bean, problem, mend, cause);
	}

}
