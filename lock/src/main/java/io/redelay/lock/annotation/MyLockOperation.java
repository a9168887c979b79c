package io.redelay.lock.annotation;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.redelay.kotlin.SuspendFunctions;
import io.redelay.lock.LockNameException;
import io.redelay.lock.LockNotAcquiredException;
import io.redelay.lock.LockSpec;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.standard.SpelExpression;

/**
 * The parsed and checked annotation of a method.
 *
 * @param method the method
 * @param names the templates of the names
 * @param locks the specification of the locks, with the templates in place of their names
 * @param condition whether to lock at all
 * @param message the message of the exception
 * @param failureHandler the bean that handles failures
 * @param fallback the method to call instead
 * @param contexts makes the context in which expressions are evaluated for a call
 */
record MyLockOperation(Method method, List<LockNameTemplate> names, LockSpec locks, @Nullable SpelExpression condition,
		@Nullable LockNameTemplate message, @Nullable String failureHandler, @Nullable Method fallback,
		Function<LockCall, LockEvaluationContext> contexts) {

	private static final Map<Class<?>, Object> EMPTY = Map.of(Optional.class, Optional.empty(), OptionalInt.class,
			OptionalInt.empty(), OptionalLong.class, OptionalLong.empty(), OptionalDouble.class,
			OptionalDouble.empty());

	/**
	 * Returns the result of a call that was skipped: {@code null}, or the empty value of
	 * its type.
	 */
	static @Nullable Object emptyResult(Class<?> type) {
		return (type.isAssignableFrom(CompletableFuture.class) && type != Object.class)
				? CompletableFuture.completedFuture(null) : EMPTY.get(type);
	}

	/**
	 * Makes the specification of the locks of a call.
	 * @return the specification, or {@code null} if the condition is false
	 * @throws LockNameException if a name cannot be computed
	 */
	@Nullable LockSpec spec(@Nullable Object target, @Nullable Object[] arguments) {
		LockEvaluationContext context = context(target, arguments);
		if (!conditionHolds(context)) {
			return null;
		}
		if (this.names.size() == 1) {
			return this.locks.withNames(List.of(this.names.get(0).name(context)));
		}
		List<String> made = new ArrayList<>(this.names.size());
		this.names.forEach((template) -> made.add(template.name(context)));
		return this.locks.withNames(made);
	}

	private boolean conditionHolds(LockEvaluationContext context) {
		if (this.condition == null) {
			return true;
		}
		Boolean holds;
		try {
			holds = this.condition.getValue(context, Boolean.class);
		}
		catch (RuntimeException ex) {
			throw new LockNameException("The condition '" + this.condition.getExpressionString()
					+ "' of a lock cannot be evaluated: " + ex.getMessage(), ex);
		}
		if (holds == null) {
			throw new LockNameException(
					"The condition '" + this.condition.getExpressionString() + "' of a lock is null", null);
		}
		return holds;
	}

	/**
	 * Returns the exception with the message that the annotation declares.
	 */
	LockNotAcquiredException withMessage(LockNotAcquiredException ex, @Nullable Object target,
			@Nullable Object[] arguments) {
		if (this.message == null) {
			return ex;
		}
		return new LockNotAcquiredException(this.message.lenient(context(target, arguments)), ex.getNames(),
				ex.getGiveBackDelay(), ex);
	}

	Class<?> returnType() {
		return SuspendFunctions.returnType(this.method);
	}

	/**
	 * Returns the arguments of a call without the one that the compiler adds to a suspend
	 * function.
	 */
	@Nullable Object[] arguments(@Nullable Object[] all) {
		return SuspendFunctions.isSuspend(this.method) ? Arrays.copyOf(all, all.length - 1) : all;
	}

	private LockEvaluationContext context(@Nullable Object target, @Nullable Object[] arguments) {
		return this.contexts.apply(new LockCall(target, this.method, arguments(arguments)));
	}

}
