package io.redelay.queue.config;

import java.util.Arrays;

import io.redelay.queue.PayloadConversionException;
import io.redelay.queue.listener.failure.ConversionFailure;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;

/**
 * A handler method that reports failures of its arguments and of its body apart: a
 * message that cannot be converted never can, and a body that fails may be tried again.
 */
final class ListenerMethod extends InvocableHandlerMethod {

	private final String listener;

	ListenerMethod(QueueListenerEndpoint endpoint) {
		super(endpoint.bean(), endpoint.method());
		this.listener = endpoint.toString();
	}

	PayloadConversionException conversionFailure(Exception failure) {
		return ConversionFailure.exception(PayloadArgumentResolver.doesNotFit(this.listener), failure);
	}

	/**
	 * The class behind the proxies of the bean: the class of a proxy does not tell the
	 * values of type variables.
	 */
	@Override
	protected Class<?> getContainingClass() {
		return AopProxyUtils.ultimateTargetClass(getBean());
	}

	@Override
	protected @Nullable Object[] getMethodArgumentValues(Message<?> message, Object... providedArgs) {
		try {
			return super.getMethodArgumentValues(message, providedArgs);
		}
		catch (Exception ex) {
			throw conversionFailure(ex);
		}
	}

	/**
	 * Describes a call that failed, without the arguments.
	 */
	@Override
	protected String formatInvokeError(String text, @Nullable Object[] args) {
		return text + ": " + getMethod().toGenericString() + " on " + getBeanType().getName() + " with "
				+ Arrays.stream(args).map((arg) -> (arg != null) ? arg.getClass().getName() : null).toList();
	}

}
