package io.redelay.queue.config;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.Executor;

import io.redelay.kotlin.KotlinFunction;
import io.redelay.kotlin.SuspendFunctions;
import io.redelay.queue.batch.engine.HandlerResults;
import io.redelay.queue.coroutine.HandlerCoroutines;
import io.redelay.queue.work.CancellationToken;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/**
 * Calls a listener's method that is a suspend function, or that has default arguments or
 * parameters of value classes.
 */
final class KotlinCall {

	private final KotlinFunction function;

	private final @Nullable HandlerCoroutines coroutines;

	private KotlinCall(KotlinFunction function, @Nullable HandlerCoroutines coroutines) {
		this.function = function;
		this.coroutines = coroutines;
	}

	/**
	 * Returns what calls the method of a listener.
	 * @param endpoint the listener, or one of its methods
	 * @param executor the threads of its handlers
	 * @return what calls it, or {@code null} if it is called as methods of Java are
	 */
	static @Nullable KotlinCall of(QueueListenerEndpoint endpoint, Executor executor) {
		if (!KotlinDetector.isKotlinReflectPresent()) {
			return null;
		}
		KotlinFunction function = KotlinFunction.of(endpoint.method());
		if (function == null) {
			return null;
		}
		if (SuspendFunctions.isSuspend(endpoint.method())) {
			return new KotlinCall(function, new HandlerCoroutines(executor, HandlerResults::await));
		}
		return function.hasOwnConvention() ? new KotlinCall(function, null) : null;
	}

	/**
	 * Returns a parameter with the type that it has in Kotlin: in place of a value class,
	 * the method may take the value.
	 */
	static MethodParameter typed(MethodParameter parameter) {
		Method method = parameter.getMethod();
		KotlinFunction function = (method != null && KotlinDetector.isKotlinReflectPresent())
				? KotlinFunction.of(method) : null;
		Class<?> valueClass = (function != null) ? function.valueClass(parameter.getParameterIndex()) : null;
		return (method != null && valueClass != null)
				? new TypedParameter(method, parameter.getParameterIndex(), ResolvableType.forClass(valueClass))
				: parameter;
	}

	/**
	 * Returns the arguments of the function, value classes among them.
	 * @param values what the method takes; of a suspend function, the last is a token
	 */
	@Nullable Object[] arguments(@Nullable Object[] values) throws Exception {
		@Nullable Object[] arguments = values.clone();
		int count = (this.coroutines != null) ? values.length - 1 : values.length;
		for (int position = 0; position < count; position++) {
			arguments[position] = this.function.boxed(position, values[position]);
		}
		return arguments;
	}

	/**
	 * Calls the function.
	 * @param bean the bean, through whose proxies it is called
	 * @param arguments the arguments, and the token behind those of a suspend function
	 * @return what it returns; for a suspend function a stage that completes with that
	 */
	@Nullable Object invoke(Object bean, @Nullable Object[] arguments) throws Exception {
		if (this.coroutines != null) {
			CancellationToken token = (CancellationToken) Objects.requireNonNull(arguments[arguments.length - 1]);
			return this.coroutines.start(this.function, bean, arguments, token);
		}
		try {
			return this.function.call(bean, arguments);
		}
		catch (InvocationTargetException ex) {
			ReflectionUtils.rethrowException(ex.getTargetException());
			throw ex;
		}
	}

}
