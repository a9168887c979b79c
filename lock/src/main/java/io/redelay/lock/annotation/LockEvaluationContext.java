package io.redelay.lock.annotation;

import io.redelay.template.CallContext;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * The context in which the expressions of one call are evaluated.
 */
final class LockEvaluationContext extends CallContext {

	private final LockParameters parameters;

	private final LockCall call;

	LockEvaluationContext(StandardEvaluationContext shared, LockParameters parameters, LockCall call) {
		super(shared);
		this.parameters = parameters;
		this.call = call;
	}

	@Override
	public TypedValue getRootObject() {
		return new TypedValue(this.call);
	}

	@Override
	public @Nullable Object lookupVariable(String name) {
		Integer position = this.parameters.position(name);
		if (position != null) {
			return argument(position);
		}
		return switch (name) {
			case "target" -> this.call.target();
			case "method" -> this.call.method();
			case "args" -> this.call.args();
			default -> null;
		};
	}

	@Nullable Object argument(int position) {
		return this.call.args()[position];
	}

}
