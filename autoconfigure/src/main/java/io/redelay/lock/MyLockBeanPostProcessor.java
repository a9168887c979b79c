package io.redelay.lock;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.util.ReflectionUtils;

/**
 * Puts beans with {@link MyLock @MyLock} behind proxies that lock, and refuses those
 * whose annotations cannot work.
 * <p>
 * What locks goes outside of all that is on a bean already, so that a transaction commits
 * before its lock is released. It comes before the post-processor of {@code @Async},
 * which goes outside in its turn, so that the lock is taken on the thread that runs.
 *
 * @since 0.1.0
 */
public class MyLockBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

	private @Nullable MyLockOperationSource source;

	/**
	 * Creates a post-processor.
	 */
	public MyLockBeanPostProcessor() {
		setBeforeExistingAdvisors(true);
		setOrder(Ordered.LOWEST_PRECEDENCE - 1);
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		super.setBeanFactory(beanFactory);
		MyLockOperationSource source = new MyLockOperationSource((ConfigurableBeanFactory) beanFactory);
		this.source = source;
		this.advisor = new DefaultPointcutAdvisor(new Annotated(source), new MyLockInterceptor(source, beanFactory));
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		MyLockOperationSource source = this.source;
		Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
		if (source == null || bean instanceof AopInfrastructureBean || !source.isCandidate(type)) {
			return bean;
		}
		Set<Method> methods = MethodIntrospector.selectMethods(type,
				(ReflectionUtils.MethodFilter) (method) -> source.isAnnotated(method, type));
		if (methods.isEmpty()) {
			return bean;
		}
		methods.forEach((method) -> check(source, method, type, beanName));
		Object proxy = super.postProcessAfterInitialization(bean, beanName);
		methods.forEach((method) -> checkReachable(method, proxy, beanName));
		return proxy;
	}

	private static void check(MyLockOperationSource source, Method method, Class<?> type, String beanName) {
		int modifiers = method.getModifiers();
		String obstacle = Modifier.isStatic(modifiers) ? "static"
				: Modifier.isPrivate(modifiers) ? "private" : Modifier.isFinal(modifiers) ? "final" : null;
		if (obstacle != null) {
			throw new MyLockPlace(beanName, method).invalid(null,
					"the method is " + obstacle + ", so it would run without a lock",
					"Make it an instance method that is neither private nor final");
		}
		source.find(method, type, beanName);
	}

	private static void checkReachable(Method method, Object proxy, String beanName) {
		try {
			AopUtils.selectInvocableMethod(method, proxy.getClass());
		}
		catch (IllegalStateException ex) {
			throw new MyLockPlace(beanName, method).invalid(null,
					"the bean is a JDK proxy, and the method is in none of its interfaces",
					"Add the method to an interface, or use class-based proxies (spring.aop.proxy-target-class=true)",
					ex);
		}
	}

	/**
	 * Matches annotated methods.
	 */
	private static final class Annotated extends StaticMethodMatcherPointcut {

		private final MyLockOperationSource source;

		Annotated(MyLockOperationSource source) {
			this.source = source;
			setClassFilter(source::isCandidate);
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return this.source.isAnnotated(method, targetClass);
		}

	}

}
