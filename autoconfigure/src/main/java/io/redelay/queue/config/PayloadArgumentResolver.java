package io.redelay.queue.config;

import java.lang.annotation.Annotation;
import java.util.stream.Collectors;

import io.redelay.queue.listener.UnfitMessageException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.converter.SmartMessageConverter;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.util.ObjectUtils;
import org.springframework.validation.BeanPropertyBindingResult;
import org.springframework.validation.BindingResult;
import org.springframework.validation.FieldError;
import org.springframework.validation.SmartValidator;
import org.springframework.validation.Validator;
import org.springframework.validation.annotation.ValidationAnnotationUtils;

/**
 * Gives a handler its payload, alone or in a {@link Message}: converted, however empty it
 * is, and validated if the parameter asks for it.
 */
final class PayloadArgumentResolver implements HandlerMethodArgumentResolver {

	static final String MISFIT = "It does not fit the parameters of the listener";

	private final MessageConverter converter;

	private final @Nullable Validator validator;

	/**
	 * Creates a resolver.
	 * @param converter converts payloads
	 * @param validator validates them, if there is one
	 */
	PayloadArgumentResolver(MessageConverter converter, @Nullable Validator validator) {
		this.converter = converter;
		this.validator = validator;
	}

	/**
	 * Whether a parameter wants its payload validated.
	 */
	static boolean isValidated(MethodParameter parameter) {
		return hints(parameter) != null;
	}

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return true;
	}

	@Override
	public Object resolveArgument(MethodParameter parameter, Message<?> message) {
		if (!Message.class.isAssignableFrom(type(parameter))) {
			return payload(parameter, message);
		}
		return MessageBuilder.createMessage(payload(parameter.nested(), message), message.getHeaders());
	}

	private Object payload(MethodParameter wanted, Message<?> message) {
		Object payload = convert(wanted, message);
		validate(wanted, payload);
		return payload;
	}

	private Object convert(MethodParameter wanted, Message<?> message) {
		Class<?> type = type(wanted);
		if (type.isInstance(message.getPayload()) && !(message.getPayload() instanceof byte[])) {
			return message.getPayload();
		}
		Object payload;
		try {
			payload = (this.converter instanceof SmartMessageConverter smart) ? smart.fromMessage(message, type, wanted)
					: this.converter.fromMessage(message, type);
		}
		catch (RuntimeException ex) {
			throw UnfitMessageException.of(MISFIT, ex);
		}
		if (payload != null) {
			return payload;
		}
		if (type.isInstance(message.getPayload())) {
			return message.getPayload();
		}
		throw new UnfitMessageException(
				MISFIT + ": no MessageConverter makes it of " + message.getHeaders().get(MessageHeaders.CONTENT_TYPE),
				null);
	}

	private void validate(MethodParameter wanted, Object payload) {
		Object[] hints = hints(wanted);
		if (hints == null || this.validator == null) {
			return;
		}
		BeanPropertyBindingResult result = new BeanPropertyBindingResult(payload, "payload");
		if (!ObjectUtils.isEmpty(hints) && this.validator instanceof SmartValidator smart) {
			smart.validate(payload, result, hints);
		}
		else {
			this.validator.validate(payload, result);
		}
		if (result.hasErrors()) {
			throw new UnfitMessageException(MISFIT + ": it is not valid: " + problems(result), null);
		}
	}

	/**
	 * What is wrong with which field, without the values.
	 */
	private static String problems(BindingResult result) {
		return result.getAllErrors()
			.stream()
			.map((error) -> ((error instanceof FieldError field) ? "'" + field.getField() + "' " : "")
					+ error.getDefaultMessage())
			.collect(Collectors.joining(", "));
	}

	private static Object @Nullable [] hints(MethodParameter parameter) {
		for (Annotation annotation : parameter.getParameterAnnotations()) {
			Object[] hints = ValidationAnnotationUtils.determineValidationHints(annotation);
			if (hints != null) {
				return hints;
			}
		}
		return null;
	}

	private static Class<?> type(MethodParameter parameter) {
		return ResolvableType.forMethodParameter(parameter).toClass();
	}

}
