package io.redelay.lock.annotation;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

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
 * What an annotation says of a method, read and checked.
 *
 * @param method the method
 * @param names the templates of the names
 * @param label the names' templates as text, by which metrics tell locks apart
 * @param type the kind of lock
 * @param provider the provider instead of it
 * @param strategy what to do while another holds the lock
 * @param waitTime how long to wait
 * @param leaseTime for how long to hold it
 * @param leaseLost what to do if it was lost
 * @param minHold for how long to hold it at least
 * @param condition whether to lock at all
 * @param message the message of the exception
 * @param failureHandler the bean that handles failures
 * @param fallback the method to call instead
 * @param parser makes the context of expressions
 * @param parameters what they may use
 */
record MyLockOperation(Method method, List<LockNameTemplate> names, String label, MyLockType type,
		@Nullable String provider, MyLockStrategy strategy, Duration waitTime, @Nullable Duration leaseTime,
		LeaseLost leaseLost, Duration minHold, @Nullable SpelExpression condition, @Nullable LockNameTemplate message,
		@Nullable String failureHandler, @Nullable Method fallback, LockExpressionParser parser,
		LockParameters parameters) {

	/**
	 * Says what to lock for a call.
	 * @return what, or {@code null} if the condition does not hold
	 * @throws LockNameException if that cannot be said
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
	 * Gives an exception the message that the annotation wishes.
	 */
	LockNotAcquiredException withMessage(LockNotAcquiredException ex, @Nullable Object target,
			@Nullable Object[] arguments) {
		if (this.message == null) {
			return ex;
		}
		return new LockNotAcquiredException(this.message.lenient(context(target, arguments)), ex.getNames(),
				ex.getGiveBackDelay(), ex);
	}

	private LockEvaluationContext context(@Nullable Object target, @Nullable Object[] arguments) {
		return this.parser.context(this.parameters, new LockCall(target, this.method, arguments));
	}

}
