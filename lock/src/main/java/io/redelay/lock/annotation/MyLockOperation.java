package io.redelay.lock.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.redelay.kotlin.SuspendFunctions;
import io.redelay.lock.LeaseLost;
import io.redelay.lock.LockCall;
import io.redelay.lock.LockNameException;
import io.redelay.lock.LockNotAcquiredException;
import io.redelay.lock.LockSpec;
import io.redelay.lock.MyLockStrategy;
import io.redelay.lock.MyLockType;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.spel.standard.SpelExpression;

/**
 * The parsed and checked annotation of a method.
 *
 * @param method the method
 * @param names the templates of the names
 * @param label the text of the names' templates, by which metrics distinguish locks
 * @param type the lock type
 * @param provider the provider instead of the type
 * @param strategy what to do while another holds the lock
 * @param waitTime how long to wait
 * @param leaseTime how long to hold the lock at most
 * @param leaseLost what to do if the lock was lost
 * @param minHold how long to hold the lock at least
 * @param condition whether to lock at all
 * @param message the message of the exception
 * @param failureHandler the bean that handles failures
 * @param fallback the method to call instead
 * @param parser makes the context of expressions
 * @param parameters the names that expressions may use
 */
record MyLockOperation(Method method, List<LockNameTemplate> names, String label, MyLockType type,
		@Nullable String provider, MyLockStrategy strategy, Duration waitTime, @Nullable Duration leaseTime,
		LeaseLost leaseLost, Duration minHold, @Nullable SpelExpression condition, @Nullable LockNameTemplate message,
		@Nullable String failureHandler, @Nullable Method fallback, LockExpressionParser parser,
		LockParameters parameters) {

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
		List<String> made;
		if (this.names.size() == 1) {
			made = List.of(this.names.get(0).name(context));
		}
		else {
			made = new ArrayList<>(this.names.size());
			for (LockNameTemplate template : this.names) {
				made.add(template.name(context));
			}
		}
		return new LockSpec(made, this.label, this.type, this.provider, this.strategy, this.waitTime, this.leaseTime,
				this.leaseLost, this.minHold);
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

	/**
	 * Returns the return type of the method; for a suspend function the one in its
	 * source, {@code void} for nothing.
	 */
	Class<?> returnType() {
		return SuspendFunctions.isSuspend(this.method) ? SuspendFunctions.resultType(this.method)
				: this.method.getReturnType();
	}

	/**
	 * Returns the arguments of a call without the one that the compiler adds to a suspend
	 * function.
	 */
	@Nullable Object[] arguments(@Nullable Object[] all) {
		return SuspendFunctions.isSuspend(this.method) ? Arrays.copyOf(all, all.length - 1) : all;
	}

	private LockEvaluationContext context(@Nullable Object target, @Nullable Object[] arguments) {
		return this.parser.context(this.parameters, new LockCall(target, this.method, arguments(arguments)));
	}

}
