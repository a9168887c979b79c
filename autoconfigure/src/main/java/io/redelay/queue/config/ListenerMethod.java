package io.redelay.queue.config;

import java.lang.reflect.Method;

import io.redelay.queue.listener.UnfitMessageException;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;

/**
 * A handler method whose arguments are told apart from its body: a message for which
 * there are no arguments never fits, and a body that fails may be tried again.
 */
final class ListenerMethod extends InvocableHandlerMethod {

	ListenerMethod(Object bean, Method method) {
		super(bean, method);
	}

	@Override
	protected @Nullable Object[] getMethodArgumentValues(Message<?> message, Object... providedArgs) {
		try {
			return super.getMethodArgumentValues(message, providedArgs);
		}
		catch (Exception ex) {
			throw new UnfitMessageException(ex);
		}
	}

}
