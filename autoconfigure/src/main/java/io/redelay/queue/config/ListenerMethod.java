package io.redelay.queue.config;

import java.util.Arrays;
import java.util.List;

import io.redelay.queue.PayloadConversionException;
import io.redelay.queue.listener.failure.ConversionFailure;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolverComposite;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;

/**
 * A handler method that reports failures of its arguments and of its body apart: a
 * message that cannot be converted never can, and a body that fails may be tried again.
 */
final class ListenerMethod extends InvocableHandlerMethod {

	private final String listener;

	/**
	 * The parameter of a function, whose type is given and not declared.
	 */
	private final @Nullable MethodParameter given;

	private HandlerMethodArgumentResolverComposite arguments = new HandlerMethodArgumentResolverComposite();

	ListenerMethod(QueueListenerEndpoint endpoint) {
		super(endpoint.bean(), endpoint.method());
		this.listener = endpoint.toString();
		ResolvableType parameter = endpoint.parameter();
		this.given = (parameter != null) ? new TypedParameter(endpoint.method(), parameter) : null;
	}

	/**
	 * Returns the parameters, with the types that they have here.
	 */
	List<MethodParameter> parameters() {
		return (this.given != null) ? List.of(this.given) : List.of(getMethodParameters());
	}

	@Override
	public void setMessageMethodArgumentResolvers(HandlerMethodArgumentResolverComposite argumentResolvers) {
		super.setMessageMethodArgumentResolvers(argumentResolvers);
		this.arguments = argumentResolvers;
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
			return (this.given != null) ? new Object[] { this.arguments.resolveArgument(this.given, message) }
					: super.getMethodArgumentValues(message, providedArgs);
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
