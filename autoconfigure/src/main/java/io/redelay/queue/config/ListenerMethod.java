package io.redelay.queue.config;

import java.util.Arrays;

import io.redelay.queue.UnfitMessageException;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;

/**
 * A handler method whose arguments are told apart from its body: a message for which
 * there are no arguments never fits, and a body that fails may be tried again.
 */
final class ListenerMethod extends InvocableHandlerMethod {

	private final String listener;

	ListenerMethod(QueueListenerEndpoint endpoint) {
		super(endpoint.bean(), endpoint.method());
		this.listener = endpoint.toString();
	}

	UnfitMessageException unfit(Exception failure) {
		return UnfitMessageException.of(PayloadArgumentResolver.misfit(this.listener), failure);
	}

	/**
	 * The class behind the proxies of the bean: a proxy's does not tell what type
	 * variables stand for.
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
			throw unfit(ex);
		}
	}

	/**
	 * Says how the method could not be called, without the arguments.
	 */
	@Override
	protected String formatInvokeError(String text, @Nullable Object[] args) {
		return text + ": " + getMethod().toGenericString() + " on " + getBeanType().getName() + " with "
				+ Arrays.stream(args).map((arg) -> (arg != null) ? arg.getClass().getName() : null).toList();
	}

}
