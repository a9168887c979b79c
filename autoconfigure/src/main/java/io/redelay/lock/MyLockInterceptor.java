package io.redelay.lock;

import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.function.Supplier;

import io.redelay.queue.DeliveryScope;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Runs annotated methods under their locks: translates a call for the
 * {@link LockTemplate}, and what comes of it for the caller.
 */
final class MyLockInterceptor implements MethodInterceptor {

	private static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Flux",
			MyLockInterceptor.class.getClassLoader());

	private final MyLockOperationSource source;

	private final BeanFactory beanFactory;

	private final Supplier<LockTemplate> template;

	private final @Nullable PublisherInterceptor publishers;

	MyLockInterceptor(MyLockOperationSource source, BeanFactory beanFactory) {
		this.source = source;
		this.beanFactory = beanFactory;
		this.template = SingletonSupplier.of(() -> beanFactory.getBean(LockTemplate.class));
		this.publishers = REACTOR ? new PublisherInterceptor(this, this.template) : null;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Class<?> targetClass = (target != null) ? AopUtils.getTargetClass(target)
				: invocation.getMethod().getDeclaringClass();
		MyLockOperation operation = this.source.find(invocation.getMethod(), targetClass, null);
		if (operation == null) {
			return invocation.proceed();
		}
		if (this.publishers != null && this.publishers.isPublisher(operation.method().getReturnType())) {
			return this.publishers.invoke(invocation, operation);
		}
		LockSpec spec = operation.spec(target, invocation.getArguments());
		if (spec == null) {
			return invocation.proceed();
		}
		return this.template.get()
			.<Object, Throwable>execute(spec, invocation::proceed,
					(ex) -> notLocked(invocation, operation, ex, DeliveryScope.isActive()));
	}

	/**
	 * Decides what becomes of a call whose lock another holds.
	 */
	@Nullable Object notLocked(MethodInvocation invocation, MyLockOperation operation, LockNotAcquiredException exception,
			boolean delivering) throws Throwable {
		Object target = invocation.getThis();
		LockNotAcquiredException told = operation.withMessage(exception, target, invocation.getArguments());
		if (operation.failureHandler() != null) {
			return this.beanFactory.getBean(operation.failureHandler(), LockFailureHandler.class)
				.handle(new LockFailure(target, operation.method(), Arrays.asList(invocation.getArguments()), told));
		}
		if (operation.fallback() != null) {
			try {
				return operation.fallback().invoke(target, invocation.getArguments());
			}
			catch (InvocationTargetException ex) {
				throw ex.getTargetException();
			}
		}
		if (!operation.strategy().isSkipping() || delivering) {
			throw told;
		}
		return LockResult.empty(operation.method().getReturnType());
	}

}
