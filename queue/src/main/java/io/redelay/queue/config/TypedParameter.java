package io.redelay.queue.config;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Type;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;

/**
 * A parameter with a type that its method does not declare: the value of its type
 * variable, or the type of the payload in it.
 */
final class TypedParameter extends MethodParameter {

	private final MethodParameter original;

	private final Class<?> type;

	private final Type genericType;

	TypedParameter(MethodParameter original, Class<?> type, Type genericType) {
		super(original);
		this.original = original;
		this.type = type;
		this.genericType = genericType;
	}

	TypedParameter(Method method, int index, ResolvableType type) {
		this(new MethodParameter(method, index), type.toClass(), type.getType());
	}

	@Override
	public Class<?> getContainingClass() {
		return this.original.getContainingClass();
	}

	@Override
	public Annotation[] getParameterAnnotations() {
		return this.original.getParameterAnnotations();
	}

	@Override
	public Class<?> getParameterType() {
		return this.type;
	}

	@Override
	public Type getGenericParameterType() {
		return this.genericType;
	}

	@Override
	public Class<?> getNestedParameterType() {
		return this.type;
	}

	@Override
	public Type getNestedGenericParameterType() {
		return this.genericType;
	}

	@Override
	public TypedParameter clone() {
		return new TypedParameter(this.original, this.type, this.genericType);
	}

}
