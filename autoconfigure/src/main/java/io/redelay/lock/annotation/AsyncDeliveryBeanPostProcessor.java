package io.redelay.lock.annotation;

import io.redelay.delivery.DeliveryScope;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Keeps calls of {@code @Async} methods part of the delivery of the message whose handler
 * makes them, so that none of their locked methods is left out and the message
 * acknowledged all the same.
 * <p>
 * It has no order, so it comes after the post-processor of {@code @Async}.
 *
 * @since 0.1.0
 */
public final class AsyncDeliveryBeanPostProcessor implements BeanPostProcessor {

	private static final MethodInterceptor HAND_OVER = new HandOver();

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof Advised advised && !advised.isFrozen()) {
			int async = positionOfAsync(advised);
			if (async >= 0) {
				advised.addAdvice(async + 1, HAND_OVER);
				advised.addAdvice(async, HAND_OVER);
			}
		}
		return bean;
	}

	/**
	 * Says where the advice of {@code @Async} is.
	 * @return its position, or -1 if there is none
	 */
	static int positionOfAsync(Advised advised) {
		for (int i = 0; i < advised.getAdvisorCount(); i++) {
			if (advised.getAdvisors()[i].getAdvice() instanceof AsyncExecutionInterceptor) {
				return i;
			}
		}
		return -1;
	}

	/**
	 * Is met twice by a call: on the thread of the caller, and on the one that runs.
	 */
	private static final class HandOver implements MethodInterceptor {

		@Override
		public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
			ProxyMethodInvocation call = (ProxyMethodInvocation) invocation;
			if (call.getUserAttribute(DeliveryScope.CONTEXT_KEY) == null) {
				call.setUserAttribute(DeliveryScope.CONTEXT_KEY, DeliveryScope.isActive() ? true : null);
				return call.proceed();
			}
			try (DeliveryScope scope = DeliveryScope.open()) {
				return call.proceed();
			}
		}

	}

}
