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
 * Makes calls of {@code @Async} methods part of the delivery of the message whose handler
 * makes them. Otherwise a locked method on the other thread could be skipped and the
 * message would be acknowledged nevertheless.
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
	 * Returns the position of the advice of {@code @Async}.
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
	 * Advises a call twice: on the thread of the caller, where it records the delivery,
	 * and on the thread that runs the method, where it restores it.
	 */
	private static final class HandOver implements MethodInterceptor {

		@Override
		public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
			ProxyMethodInvocation call = (ProxyMethodInvocation) invocation;
			Object handling = call.getUserAttribute(DeliveryScope.CONTEXT_KEY);
			if (handling == null) {
				call.setUserAttribute(DeliveryScope.CONTEXT_KEY, DeliveryScope.current());
				return call.proceed();
			}
			try (DeliveryScope scope = DeliveryScope.open(handling)) {
				return call.proceed();
			}
		}

	}

}
