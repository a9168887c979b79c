package io.redelay.lock.annotation;

import java.util.List;
import java.util.function.Function;

import io.redelay.template.ExpressionNames;
import org.jspecify.annotations.Nullable;

/**
 * The names that the expressions of an annotation may use: parameters of the method, and
 * the call itself.
 *
 * @param attribute the attribute that holds the expressions
 * @param place the annotated method
 * @param parameters the parameters
 */
record LockExpressionNames(String attribute, MyLockPlace place,
		LockParameters parameters) implements ExpressionNames<LockEvaluationContext> {

	private static final List<String> ROOT = List.of("target", "method", "args");

	@Override
	public boolean isGiven(String name) {
		return this.parameters.position(name) != null;
	}

	@Override
	public boolean isRoot(String name) {
		return ROOT.contains(name);
	}

	@Override
	public @Nullable Function<LockEvaluationContext, @Nullable Object> direct(String name) {
		Integer position = this.parameters.position(name);
		return (position != null) ? (context) -> context.argument(position) : null;
	}

	@Override
	public RuntimeException unknown(String expression, String name) {
		String problem = "in #{" + expression + "} " + name + " is neither a parameter nor target, method or args";
		if (this.parameters.isEmpty()) {
			return invalid(problem,
					"The method has no parameters: use one of " + ROOT + ", or give the method a @MyLock of its own");
		}
		return this.parameters.areNamed() ? invalid(problem, "Use one of " + this.parameters)
				: invalid(problem + ", and the class was compiled without the names of parameters",
						"Compile with -parameters, or use " + this.parameters);
	}

	@Override
	public RuntimeException invalid(String problem, String mend) {
		return this.place.invalid(this.attribute, problem, mend);
	}

}
