package io.redelay.queue.config;

import java.lang.reflect.Method;
import java.lang.reflect.Type;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;

/**
 * A parameter with a type that its method does not declare.
 */
final class TypedParameter extends MethodParameter {

	private final ResolvableType type;

	TypedParameter(Method method, int index, ResolvableType type) {
		super(method, index);
		this.type = type;
	}

	@Override
	public Class<?> getParameterType() {
		return this.type.toClass();
	}

	@Override
	public Type getGenericParameterType() {
		return this.type.getType();
	}

	@Override
	public TypedParameter clone() {
		return new TypedParameter((Method) getExecutable(), getParameterIndex(), this.type);
	}

}
