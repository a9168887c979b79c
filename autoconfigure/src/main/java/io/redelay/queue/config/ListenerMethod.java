package io.redelay.queue.config;

import java.lang.reflect.Method;

import io.redelay.queue.listener.UnfitMessageException;
import org.jspecify.annotations.Nullable;

import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConversionException;
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
			throw unfit(message, ex);
		}
	}

	/**
	 * Says what does not fit, without the whole message, which may hold what no log
	 * should.
	 */
	static UnfitMessageException unfit(Message<?> message, Exception ex) {
		Throwable cause = ex.getCause();
		String why = (cause != null) ? cause.getMessage()
				: (ex instanceof MessageConversionException)
						? "no MessageConverter makes it of " + message.getHeaders().get(MessageHeaders.CONTENT_TYPE)
						: ex.getMessage();
		return new UnfitMessageException("It does not fit the parameters of the listener: " + why, ex);
	}

}
