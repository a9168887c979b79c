package io.redelay.queue.actuate;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationArgumentResolver;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvoker;
import org.springframework.boot.actuate.endpoint.invoke.OperationInvokerAdvisor;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameters;
import org.springframework.boot.actuate.endpoint.invoke.ParameterValueMapper;

/**
 * Gives operations that have a parameter of the type {@link RequestParameters} the
 * parameters of the request.
 *
 * @since 0.1.0
 */
public final class RequestParametersAdvisor implements OperationInvokerAdvisor {

	private final ParameterValueMapper mapper;

	/**
	 * Creates an advisor.
	 * @param mapper turns the values of parameters into text
	 */
	public RequestParametersAdvisor(ParameterValueMapper mapper) {
		this.mapper = mapper;
	}

	@Override
	public OperationInvoker apply(EndpointId endpoint, OperationType type, OperationParameters parameters,
			OperationInvoker invoker) {
		if (parameters.stream().noneMatch((parameter) -> parameter.getType() == RequestParameters.class)) {
			return invoker;
		}
		return (context) -> invoker.invoke(withParameters(context));
	}

	private InvocationContext withParameters(InvocationContext context) {
		RequestParameters read = RequestParameters.of(context.getArguments(), this.mapper);
		SecurityContext user = context.resolveArgument(SecurityContext.class);
		return new InvocationContext((user != null) ? user : SecurityContext.NONE, context.getArguments(),
				OperationArgumentResolver.of(RequestParameters.class, () -> read), new Others(context));
	}

	/**
	 * Resolves what the request resolved before.
	 *
	 * @param context the request
	 */
	private record Others(InvocationContext context) implements OperationArgumentResolver {

		@Override
		public boolean canResolve(Class<?> type) {
			return this.context.canResolve(type);
		}

		@Override
		public <T> @Nullable T resolve(Class<T> type) {
			return this.context.resolveArgument(type);
		}

	}

}
