package io.redelay.queue.config;

import java.lang.annotation.Annotation;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import io.redelay.kotlin.SuspendFunctions;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.validation.annotation.ValidationAnnotationUtils;

/**
 * The shape in which a parameter takes a payload: the payload or an {@link Optional} of
 * it, that alone or in a {@link Message}, and all of it alone or as an element of a
 * batch.
 */
final class PayloadShape {

	/**
	 * A type variable may be bounded by a type that has the variable itself as an
	 * argument.
	 */
	private static final int DEEPEST = 10;

	private final ResolvableType type;

	private final boolean inBatch;

	private final boolean inMessage;

	private final boolean optional;

	private final boolean nullable;

	private final MethodParameter conversionHint;

	private final Object @Nullable [] validationHints;

	private PayloadShape(MethodParameter parameter, ResolvableType declared) {
		this.inBatch = isBatch(declared.toClass());
		ResolvableType one = this.inBatch ? declared.getGeneric(0) : declared;
		this.inMessage = Message.class.isAssignableFrom(one.toClass());
		ResolvableType inner = this.inMessage ? one.as(Message.class).getGeneric(0) : one;
		this.optional = inner.toClass() == Optional.class;
		this.type = this.optional ? inner.getGeneric(0) : inner;
		this.nullable = !this.inBatch && !this.inMessage && !this.optional && parameter.isOptional();
		this.conversionHint = new PayloadParameter(parameter, this.type.toClass(), resolved(this.type, 0));
		this.validationHints = findValidationHints(parameter);
	}

	/**
	 * Returns whether a parameter of a type takes a batch.
	 */
	static boolean isBatch(Class<?> type) {
		return type == List.class || SuspendFunctions.isFlow(type);
	}

	/**
	 * Returns the type of the state of a parameter for a checkpoint, or for the state of
	 * a recurring message.
	 */
	static Type stateOf(MethodParameter parameter) {
		return resolved(ResolvableType.forMethodParameter(parameter).getGeneric(0), 0);
	}

	static PayloadShape of(MethodParameter parameter) {
		return new PayloadShape(parameter, ResolvableType.forMethodParameter(parameter));
	}

	/**
	 * Returns the type of the payload inside of the shape.
	 */
	ResolvableType type() {
		return this.type;
	}

	Class<?> rawType() {
		return this.type.toClass();
	}

	boolean isInBatch() {
		return this.inBatch;
	}

	boolean isInMessage() {
		return this.inMessage;
	}

	boolean isOptional() {
		return this.optional;
	}

	/**
	 * Returns whether the parameter is the payload itself and may be {@code null}.
	 */
	boolean isNullable() {
		return this.nullable;
	}

	/**
	 * Returns whether a message is inside an {@code Optional}, which is not supported.
	 */
	boolean isMessageInside() {
		return this.optional && Message.class.isAssignableFrom(rawType());
	}

	/**
	 * Returns whether it is a {@code Message<?>}, whose payload is not converted.
	 */
	boolean takesAnything() {
		return this.inMessage && !this.optional
				&& (this.type.getType() instanceof WildcardType || isMissing(this.type));
	}

	/**
	 * The type variable whose value is not known, if there is one.
	 */
	@Nullable TypeVariable<?> unknownVariable() {
		return isMissing(this.type) ? null : unknownVariable(this.type, 0);
	}

	/**
	 * Returns whether the type is only the variable of a {@code Message}, {@code List} or
	 * {@code Optional} without an argument.
	 */
	private static boolean isMissing(ResolvableType type) {
		return type.getType() instanceof TypeVariable<?> variable
				&& variable.getGenericDeclaration() instanceof Class<?> of
				&& (isBatch(of) || of == Optional.class || Message.class.isAssignableFrom(of));
	}

	private static @Nullable TypeVariable<?> unknownVariable(ResolvableType type, int depth) {
		if (type.getType() instanceof TypeVariable<?> variable && type.resolve() == null) {
			return variable;
		}
		if (type.getType() instanceof Class || depth > DEEPEST) {
			return null;
		}
		if (type.isArray()) {
			return unknownVariable(type.getComponentType(), depth + 1);
		}
		return Arrays.stream(type.getGenerics())
			.map((generic) -> unknownVariable(generic, depth + 1))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	/**
	 * Returns the hint that gives a converter the type, generics included. Spring's
	 * converters look into a {@code Message} and an {@code Optional} themselves, at a
	 * level that they count from the parameter, so the hint is a parameter of the
	 * payload's type itself.
	 */
	MethodParameter conversionHint() {
		return this.conversionHint;
	}

	/**
	 * Returns the groups to validate the payload with, or {@code null} if it is not
	 * validated.
	 */
	Object @Nullable [] validationHints() {
		return this.validationHints;
	}

	private static Object @Nullable [] findValidationHints(MethodParameter parameter) {
		for (Annotation annotation : parameter.getParameterAnnotations()) {
			Object[] hints = ValidationAnnotationUtils.determineValidationHints(annotation);
			if (hints != null) {
				return hints;
			}
		}
		return null;
	}

	/**
	 * Replaces type variables by their values, as far as these are known.
	 */
	private static Type resolved(ResolvableType type, int depth) {
		Class<?> raw = type.toClass();
		if (type.getType() instanceof Class || depth > DEEPEST) {
			return raw;
		}
		if (type.isArray()) {
			Type component = resolved(type.getComponentType(), depth + 1);
			return (component instanceof Class<?> known) ? known.arrayType() : (GenericArrayType) () -> component;
		}
		if (!type.hasGenerics()) {
			return raw;
		}
		ResolvableType[] generics = Arrays.stream(type.getGenerics())
			.map((generic) -> ResolvableType.forType(resolved(generic, depth + 1)))
			.toArray(ResolvableType[]::new);
		return ResolvableType.forClassWithGenerics(raw, generics).getType();
	}

	/**
	 * A parameter with the type of its payload instead of its own.
	 */
	private static final class PayloadParameter extends MethodParameter {

		private final MethodParameter original;

		private final Class<?> type;

		private final Type genericType;

		PayloadParameter(MethodParameter original, Class<?> type, Type genericType) {
			super(original);
			this.original = original;
			this.type = type;
			this.genericType = genericType;
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
		public PayloadParameter clone() {
			return new PayloadParameter(this.original, this.type, this.genericType);
		}

	}

}
