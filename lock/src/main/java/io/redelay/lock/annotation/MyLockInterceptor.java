package io.redelay.lock.annotation;

import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.function.Supplier;

import io.redelay.delivery.DeliveryScope;
import io.redelay.kotlin.SuspendFunctions;
import io.redelay.lock.LockException;
import io.redelay.lock.LockFailure;
import io.redelay.lock.LockFailureHandler;
import io.redelay.lock.LockNotAcquiredException;
import io.redelay.lock.LockSpec;
import io.redelay.lock.LockTemplate;
import io.redelay.lock.PublisherTypes;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Runs annotated methods under their locks: makes the specification for the
 * {@link LockTemplate} from the annotation and the call, and handles a lock that was not
 * acquired.
 */
final class MyLockInterceptor implements MethodInterceptor {

	private final MyLockOperationSource source;

	private final BeanFactory beanFactory;

	private final Supplier<LockTemplate> template;

	private final @Nullable PublisherTypes types = LockTemplate.REACTOR ? new PublisherTypes() : null;

	private final @Nullable PublisherInterceptor publishers;

	private final @Nullable CoroutineInterceptor coroutines;

	private final @Nullable Class<?> proxyType;

	/**
	 * Creates an interceptor.
	 * @param source reads the annotations
	 * @param beanFactory contains the template and the failure handlers
	 * @param proxyType the class of the only proxy to lock, if the annotated interface is
	 * not implemented by the object behind it
	 */
	MyLockInterceptor(MyLockOperationSource source, BeanFactory beanFactory, @Nullable Class<?> proxyType) {
		this.proxyType = proxyType;
		this.source = source;
		this.beanFactory = beanFactory;
		this.template = SingletonSupplier.of(() -> beanFactory.getBean(LockTemplate.class));
		this.publishers = (this.types != null) ? new PublisherInterceptor(this, this.template, this.types) : null;
		this.coroutines = (this.publishers != null && SuspendFunctions.missing() == null)
				? new CoroutineInterceptor(this.publishers) : null;
	}

	@Override
	public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = target(invocation);
		MyLockOperation operation = this.source.find(invocation.getMethod(), targetClass(invocation, target), null);
		if (operation == null) {
			return invocation.proceed();
		}
		if (this.coroutines != null && SuspendFunctions.isSuspend(operation.method())) {
			return this.coroutines.invoke(invocation, operation);
		}
		if (this.coroutines != null && SuspendFunctions.isFlow(operation.method().getReturnType())) {
			return this.coroutines.invokeFlow(invocation, operation);
		}
		if (this.publishers != null && isPublisher(operation.method().getReturnType())) {
			return this.publishers.invoke(invocation, operation);
		}
		LockSpec spec = operation.spec(target, invocation.getArguments());
		if (spec == null) {
			return invocation.proceed();
		}
		return this.template.get()
			.<Object, Throwable>execute(spec, operation.method().getReturnType(), invocation::proceed,
					(ex) -> notLocked(invocation, operation, ex, DeliveryScope.isActive()));
	}

	/**
	 * Returns the result of a call, or throws, if another holds its lock.
	 */
	@Nullable Object notLocked(MethodInvocation invocation, MyLockOperation operation, LockNotAcquiredException exception,
			boolean delivering) throws Throwable {
		Object target = target(invocation);
		LockNotAcquiredException described = operation.withMessage(exception, target, invocation.getArguments());
		if (operation.failureHandler() != null) {
			Object result = this.beanFactory.getBean(operation.failureHandler(), LockFailureHandler.class)
				.handle(new LockFailure(target, operation.method(),
						Arrays.asList(operation.arguments(invocation.getArguments())), described));
			checkResult(result, operation);
			return result;
		}
		if (operation.fallback() != null) {
			if (SuspendFunctions.isSuspend(operation.fallback())) {
				return CoroutineInterceptor.call(operation.fallback(), target, invocation.getArguments());
			}
			try {
				return operation.fallback().invoke(target, invocation.getArguments());
			}
			catch (InvocationTargetException ex) {
				throw ex.getTargetException();
			}
		}
		if (!operation.locks().strategy().isSkipping() || delivering) {
			throw described;
		}
		return MyLockOperation.emptyResult(operation.returnType());
	}

	private void checkResult(@Nullable Object result, MyLockOperation operation) {
		Class<?> type = operation.returnType();
		if (type != void.class && !ClassUtils.isAssignableValue(type, result) && !arePublishers(type, result)) {
			throw new LockException("The failure handler '" + operation.failureHandler() + "' returned "
					+ ((result != null) ? "an object of " + result.getClass().getName() : "null") + ", but the method "
					+ ClassUtils.getQualifiedMethodName(operation.method()) + " returns " + type.getName());
		}
	}

	/**
	 * Returns whether a result is a publisher of a kind that the return type allows.
	 */
	private boolean arePublishers(Class<?> type, @Nullable Object result) {
		return result != null && isPublisher(type) && isPublisher(result.getClass());
	}

	private boolean isPublisher(Class<?> type) {
		return this.types != null && this.types.isPublisher(type);
	}

	/**
	 * The object on which fallback methods are called.
	 */
	@Nullable Object target(MethodInvocation invocation) {
		return (this.proxyType != null) ? ((ProxyMethodInvocation) invocation).getProxy() : invocation.getThis();
	}

	private Class<?> targetClass(MethodInvocation invocation, @Nullable Object target) {
		if (this.proxyType != null) {
			return this.proxyType;
		}
		return (target != null) ? AopUtils.getTargetClass(target) : invocation.getMethod().getDeclaringClass();
	}

}
