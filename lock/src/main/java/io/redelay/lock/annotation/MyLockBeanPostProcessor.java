package io.redelay.lock.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Objects;

import io.redelay.kotlin.SuspendFunctions;
import io.redelay.lock.LockTemplate;
import io.redelay.lock.MyLock;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ClassFilter;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopConfigException;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.util.Assert;

/**
 * Creates locking proxies for beans with {@link MyLock @MyLock}, and rejects invalid
 * annotations.
 * <p>
 * The advice is outside of all other advice of a bean: a transaction commits before its
 * lock is released, and a retry does not release the lock. But it is inside of
 * {@code @Async}, so the lock is taken on the thread that runs the method. The
 * post-processor runs after ordered ones, like that of {@code @Retryable}; whether that
 * of {@code @Async} runs before or after it makes no difference.
 *
 * @since 0.1.0
 */
public class MyLockBeanPostProcessor extends AbstractBeanFactoryAwareAdvisingPostProcessor {

	private @Nullable BeanFactory beans;

	private @Nullable MyLockOperationSource source;

	private volatile boolean templateFound;

	/**
	 * Creates a post-processor.
	 */
	public MyLockBeanPostProcessor() {
		setOrder(Ordered.LOWEST_PRECEDENCE);
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		super.setBeanFactory(beanFactory);
		MyLockOperationSource source = new MyLockOperationSource((ConfigurableBeanFactory) beanFactory);
		this.beans = beanFactory;
		this.source = source;
		this.advisor = new DefaultPointcutAdvisor(new Annotated(source),
				new MyLockInterceptor(source, beanFactory, null));
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		MyLockOperationSource source = this.source;
		if (source == null || bean instanceof AopInfrastructureBean) {
			return bean;
		}
		MyLockMethods methods = MyLockMethods.of(bean, source);
		if (methods.isEmpty()) {
			return bean;
		}
		methods.ofType().forEach((method) -> check(source, method, methods.type(), beanName));
		methods.ofProxy().forEach((method) -> check(source, method, bean.getClass(), beanName));
		Object proxy = bean;
		if (!methods.ofProxy().isEmpty()) {
			adviseInterfaces((Advised) bean, methods, beanName, source);
		}
		if (!methods.ofType().isEmpty()) {
			proxy = advise(bean, methods, beanName);
		}
		checkTemplate(methods, beanName);
		return proxy;
	}

	private Object advise(Object bean, MyLockMethods methods, String beanName) {
		Object proxy;
		try {
			if (bean instanceof Advised advised && !advised.isFrozen()) {
				advised.addAdvisor(position(advised), Objects.requireNonNull(this.advisor));
				proxy = bean;
			}
			else {
				proxy = super.postProcessAfterInitialization(bean, beanName);
			}
		}
		catch (AopConfigException ex) {
			Class<?> type = methods.type();
			throw new MyLockPlace(beanName, methods.any()).invalid(null,
					Modifier.isFinal(type.getModifiers())
							? "the class " + type.getName() + " is final, so that no proxy can be made of it"
							: "no proxy can be made of the class " + type.getName() + ": " + ex.getMessage(),
					"Let the class be neither final nor sealed (open in Kotlin), or let it implement an interface with the "
							+ "method and use JDK proxies (spring.aop.proxy-target-class=false)",
					ex);
		}
		methods.ofType().forEach((method) -> checkReachable(method, proxy, beanName));
		return proxy;
	}

	/**
	 * Locks the methods of interfaces that only the proxy implements.
	 */
	private void adviseInterfaces(Advised bean, MyLockMethods methods, String beanName, MyLockOperationSource source) {
		BeanFactory beanFactory = this.beans;
		Assert.state(beanFactory != null, "'beanFactory' must be set before there are beans");
		if (bean.isFrozen()) {
			throw new MyLockPlace(beanName, methods.any()).invalid(null,
					"the bean is a proxy that cannot be changed any more, so the method would run without a lock",
					"Call it from a method with the @MyLock");
		}
		Class<?> type = bean.getClass();
		bean.addAdvisor(position(bean), new DefaultPointcutAdvisor(new StaticMethodMatcherPointcut() {

			@Override
			public boolean matches(Method method, Class<?> targetClass) {
				return MyLockMethods.isOfProxy(method, type, methods.type(), source);
			}

		}, new MyLockInterceptor(source, beanFactory, type)));
	}

	/**
	 * Returns the outermost position at which advice is called on the thread that runs
	 * the method.
	 */
	private static int position(Advised bean) {
		return AsyncDeliveryBeanPostProcessor.positionOfAsync(bean) + 1;
	}

	private void checkTemplate(MyLockMethods methods, String beanName) {
		if (this.templateFound || !(this.beans instanceof ListableBeanFactory listable)) {
			return;
		}
		if (BeanFactoryUtils.beanNamesForTypeIncludingAncestors(listable, LockTemplate.class, true,
				false).length == 0) {
			throw new MyLockPlace(beanName, methods.any()).invalid(null,
					"there is no LockTemplate, as there is no RedissonClient to make one of, so the method would run "
							+ "without a lock",
					"Say where Redis is (spring.data.redis.*), define a RedissonClient or a LockTemplate, or run without "
							+ "locks on purpose (redelay.lock.enabled=false)");
		}
		this.templateFound = true;
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
		String missing = SuspendFunctions.missing();
		if (missing != null && SuspendFunctions.isSuspend(method)) {
			throw new MyLockPlace(beanName, method).invalid(null,
					"the method is a Kotlin suspend function, which cannot be locked without " + missing,
					"Add " + missing + " to the dependencies of the application");
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
	 * Matches annotated methods. Spring compares pointcuts by their text: without one, it
	 * would generate another proxy class of a bean class for each context, and keep them
	 * all.
	 */
	private static final class Annotated extends StaticMethodMatcherPointcut implements ClassFilter {

		private final MyLockOperationSource source;

		Annotated(MyLockOperationSource source) {
			this.source = source;
			setClassFilter(this);
		}

		@Override
		public boolean matches(Class<?> type) {
			return this.source.isCandidate(type);
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return this.source.isAnnotated(method, targetClass);
		}

		@Override
		public String toString() {
			return MyLock.class.getName();
		}

	}

}
