package io.redelay.lock.annotation;

import java.util.List;

import io.redelay.lock.LockCall;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.BeanResolver;
import org.springframework.expression.ConstructorResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.IndexAccessor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.OperatorOverloader;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypeComparator;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * The context in which the expressions of one call are evaluated. One is created for each
 * call, so it holds the call only; everything else is shared.
 */
final class LockEvaluationContext implements EvaluationContext {

	private final StandardEvaluationContext shared;

	private final LockParameters parameters;

	private final LockCall call;

	LockEvaluationContext(StandardEvaluationContext shared, LockParameters parameters, LockCall call) {
		this.shared = shared;
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
			case "target" -> this.call.getTarget();
			case "method" -> this.call.getMethod();
			case "args" -> this.call.getArgs();
			default -> null;
		};
	}

	@Nullable Object argument(int position) {
		return this.call.getArgs()[position];
	}

	@Override
	public void setVariable(String name, @Nullable Object value) {
		throw new UnsupportedOperationException("A name cannot set a variable");
	}

	@Override
	public boolean isAssignmentEnabled() {
		return false;
	}

	@Override
	public List<PropertyAccessor> getPropertyAccessors() {
		return this.shared.getPropertyAccessors();
	}

	@Override
	public List<IndexAccessor> getIndexAccessors() {
		return this.shared.getIndexAccessors();
	}

	@Override
	public List<ConstructorResolver> getConstructorResolvers() {
		return this.shared.getConstructorResolvers();
	}

	@Override
	public List<MethodResolver> getMethodResolvers() {
		return this.shared.getMethodResolvers();
	}

	@Override
	public @Nullable BeanResolver getBeanResolver() {
		return this.shared.getBeanResolver();
	}

	@Override
	public TypeLocator getTypeLocator() {
		return this.shared.getTypeLocator();
	}

	@Override
	public TypeConverter getTypeConverter() {
		return this.shared.getTypeConverter();
	}

	@Override
	public TypeComparator getTypeComparator() {
		return this.shared.getTypeComparator();
	}

	@Override
	public OperatorOverloader getOperatorOverloader() {
		return this.shared.getOperatorOverloader();
	}

}
