package io.redelay.queue.config;

import java.util.Arrays;
import java.util.List;

import io.redelay.kotlin.SuspendFunctions;
import io.redelay.queue.PayloadConversionException;
import io.redelay.queue.failure.ConversionFailure;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolverComposite;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;

/**
 * A handler method that distinguishes failures of its arguments and of its body: a
 * message that cannot be converted never can, and a body that fails may be tried again.
 */
final class ListenerMethod extends InvocableHandlerMethod {

	private final String listener;

	/**
	 * The parameter of a function, whose type is given and not declared.
	 */
	private final @Nullable MethodParameter given;

	/**
	 * Calls the method, if it has to be called as Kotlin does.
	 */
	private final @Nullable KotlinCall kotlin;

	private HandlerMethodArgumentResolverComposite arguments = new HandlerMethodArgumentResolverComposite();

	ListenerMethod(QueueListenerEndpoint endpoint, @Nullable KotlinCall kotlin) {
		super(endpoint.bean(), endpoint.method());
		this.listener = endpoint.toString();
		ResolvableType parameter = endpoint.parameter();
		this.given = (parameter != null) ? new TypedParameter(endpoint.method(), 0, parameter) : null;
		this.kotlin = kotlin;
	}

	/**
	 * Returns the parameters of a listener's method, with the types that they have here
	 * and in Kotlin, and without the one that is added to a suspend function.
	 */
	static List<MethodParameter> parameters(QueueListenerEndpoint endpoint) {
		ListenerMethod method = new ListenerMethod(endpoint, null);
		return (method.given != null) ? List.of(method.given)
				: Arrays.stream(method.getMethodParameters())
					.filter((parameter) -> !SuspendFunctions.isContinuation(parameter))
					.map(KotlinCall::typed)
					.toList();
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
	 * The class behind the proxies of the bean: the class of a proxy does not have the
	 * values of type variables.
	 */
	@Override
	protected Class<?> getContainingClass() {
		return AopProxyUtils.ultimateTargetClass(getBean());
	}

	@Override
	protected @Nullable Object[] getMethodArgumentValues(Message<?> message, Object... providedArgs) {
		try {
			@Nullable Object[] values = (this.given != null)
					? new Object[] { this.arguments.resolveArgument(this.given, message) }
					: super.getMethodArgumentValues(message, providedArgs);
			return (this.kotlin != null) ? this.kotlin.arguments(values) : values;
		}
		catch (Exception ex) {
			throw conversionFailure(ex);
		}
	}

	@Override
	protected @Nullable Object doInvoke(@Nullable Object... args) throws Exception {
		return (this.kotlin != null) ? this.kotlin.invoke(getBean(), args) : super.doInvoke(args);
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
