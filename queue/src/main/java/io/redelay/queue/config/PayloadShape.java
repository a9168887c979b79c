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
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.validation.annotation.ValidationAnnotationUtils;

/**
 * The shape in which a parameter takes a payload: the payload or an {@link Optional} of
 * it, that alone or in a {@link Message}, and all of it alone or as an element of a
 * batch.
 *
 * @param type the type of the payload inside of the shape
 * @param inBatch whether it is an element of a batch
 * @param inMessage whether it is in a {@link Message}
 * @param optional whether it is in an {@link Optional}
 * @param nullable whether the parameter is the payload itself and may be {@code null}
 * @param conversionHint gives a converter the type, generics included. Spring's
 * converters look into a {@code Message} and an {@code Optional} themselves, at a level
 * that they count from the parameter, so the hint is a parameter of the payload's type
 * itself.
 * @param validationHints the groups to validate the payload with, or {@code null} if it
 * is not validated
 */
record PayloadShape(ResolvableType type, boolean inBatch, boolean inMessage, boolean optional, boolean nullable,
		MethodParameter conversionHint, @Nullable List<Object> validationHints) {

	/**
	 * A type variable may be bounded by a type that has the variable itself as an
	 * argument.
	 */
	private static final int DEEPEST = 10;

	/**
	 * Returns whether a parameter takes a batch.
	 */
	static boolean isBatch(MethodParameter parameter) {
		return isBatch(ResolvableType.forMethodParameter(parameter).toClass())
				&& !parameter.hasParameterAnnotation(Header.class) && !parameter.hasParameterAnnotation(Headers.class);
	}

	private static boolean isBatch(Class<?> type) {
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
		ResolvableType declared = ResolvableType.forMethodParameter(parameter);
		boolean inBatch = isBatch(declared.toClass());
		ResolvableType one = inBatch ? declared.getGeneric(0) : declared;
		boolean inMessage = Message.class.isAssignableFrom(one.toClass());
		ResolvableType inner = inMessage ? one.as(Message.class).getGeneric(0) : one;
		boolean optional = inner.toClass() == Optional.class;
		ResolvableType type = optional ? inner.getGeneric(0) : inner;
		boolean nullable = !inBatch && !inMessage && !optional && parameter.isOptional();
		return new PayloadShape(type, inBatch, inMessage, optional, nullable,
				new TypedParameter(parameter, type.toClass(), resolved(type, 0)), findValidationHints(parameter));
	}

	Class<?> rawType() {
		return this.type.toClass();
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

	private static @Nullable List<Object> findValidationHints(MethodParameter parameter) {
		for (Annotation annotation : parameter.getParameterAnnotations()) {
			Object[] hints = ValidationAnnotationUtils.determineValidationHints(annotation);
			if (hints != null) {
				return List.of(hints);
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

}
