package io.redelay.lock.annotation;

import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.Set;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.core.MethodIntrospector;
import org.springframework.util.ReflectionUtils;

/**
 * The annotated methods of a bean.
 *
 * @param type the class behind all proxies
 * @param ofType the methods of that class and its interfaces
 * @param ofProxy the methods of interfaces that only the bean's proxy implements, for
 * example those of a Spring Data repository
 */
record MyLockMethods(Class<?> type, Set<Method> ofType, Set<Method> ofProxy) {

	static MyLockMethods of(Object bean, MyLockOperationSource source) {
		Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
		Set<Method> ofType = MyLockOperationSource.isPossible(type) ? MethodIntrospector.selectMethods(type,
				(ReflectionUtils.MethodFilter) (method) -> source.isAnnotated(method, type)) : Set.of();
		return new MyLockMethods(type, ofType, ofProxy(bean, type, source));
	}

	private static Set<Method> ofProxy(Object bean, Class<?> type, MyLockOperationSource source) {
		if (!(bean instanceof Advised advised) || !MyLockOperationSource.isPossible(bean.getClass())) {
			return Set.of();
		}
		Set<Method> methods = new LinkedHashSet<>();
		for (Class<?> proxied : advised.getProxiedInterfaces()) {
			if (!proxied.isAssignableFrom(type) && source.isCandidate(proxied)) {
				for (Method method : proxied.getMethods()) {
					if (!method.isBridge() && isOfProxy(method, bean.getClass(), type, source)) {
						methods.add(method);
					}
				}
			}
		}
		return methods;
	}

	/**
	 * Returns whether a method is annotated on an interface of a proxy, and not on the
	 * class behind it.
	 */
	static boolean isOfProxy(Method method, Class<?> proxy, Class<?> type, MyLockOperationSource source) {
		return source.isAnnotated(method, proxy)
				&& !(method.getDeclaringClass().isAssignableFrom(type) && source.isAnnotated(method, type));
	}

	boolean isEmpty() {
		return this.ofType.isEmpty() && this.ofProxy.isEmpty();
	}

	/**
	 * Returns any of the methods.
	 */
	Method any() {
		return (this.ofType.isEmpty() ? this.ofProxy : this.ofType).iterator().next();
	}

}
