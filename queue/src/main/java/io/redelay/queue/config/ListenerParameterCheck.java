package io.redelay.queue.config;

import java.lang.reflect.TypeVariable;
import java.util.List;
import java.util.Map;

import io.redelay.queue.FailedAttempt;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.queue.work.MessageDelivery;
import io.redelay.queue.work.NextStep;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.support.MessageHeaderAccessor;

/**
 * Rejects parameters of listener methods that nothing could be passed to.
 *
 * @param endpoint the listener, or one of its methods
 * @param parameter the parameter
 */
record ListenerParameterCheck(QueueListenerEndpoint endpoint, MethodParameter parameter) {

	void checkHeader() {
		Header header = this.parameter.getParameterAnnotation(Header.class);
		if (header != null && header.name().isEmpty() && name(header) == null) {
			throw this.endpoint.invalid(
					"which header its parameter " + name()
							+ " takes is not known, for the class was compiled without the names of parameters",
					"Name the header, as in @Header(\"tenant\"), or compile with -parameters");
		}
		if (this.parameter.hasParameterAnnotation(Headers.class) && !takesHeaders(this.parameter)) {
			throw this.endpoint.invalid("its parameter " + name() + " cannot be all the headers",
					"Take a Map<String, Object> or MessageHeaders with @Headers, or one header with @Header");
		}
	}

	private @Nullable String name(Header header) {
		if (!header.name().isEmpty()) {
			return header.name();
		}
		this.parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
		return this.parameter.getParameterName();
	}

	void checkPayload(ListableBeanFactory beanFactory, boolean canValidate) {
		if (!this.parameter.hasParameterAnnotation(Payload.class)
				&& isBean(beanFactory, this.parameter.getParameterType())) {
			throw this.endpoint.invalid("its parameter " + name() + " is the type of a bean, not of a payload",
					"Inject the bean into the constructor, or mark the parameter with @Payload");
		}
		if (!canValidate && PayloadShape.of(this.parameter).validationHints() != null) {
			throw this.endpoint.invalid("its parameter " + name() + " is to be validated, and there is no Validator",
					"Add spring-boot-starter-validation, or define one Validator");
		}
	}

	/**
	 * Types of the JDK are payloads, even if some bean of the application has one: a
	 * string, or the map of the system's properties.
	 */
	private static boolean isBean(ListableBeanFactory beanFactory, Class<?> type) {
		return !type.isPrimitive() && !type.isArray() && !type.getName().startsWith("java.")
				&& beanFactory.getBeanNamesForType(type, true, false).length > 0;
	}

	/**
	 * A payload carries no class name, so the parameter must declare the type to convert
	 * it to.
	 */
	void checkType() {
		PayloadShape shape = PayloadShape.of(this.parameter);
		if (shape.isMessageInside()) {
			throw this.endpoint.invalid("its parameter " + name() + " wraps a Message, which is always there",
					"Take a Message<Optional<…>>");
		}
		TypeVariable<?> unknown = shape.unknownVariable();
		if (unknown != null) {
			throw this.endpoint.invalid(
					"what '" + unknown.getName() + "' stands for in its parameter " + this.parameter.getParameterIndex()
							+ " (" + this.parameter.getGenericParameterType().getTypeName()
							+ ") is not known, so a payload of it " + "would be given as bytes or as a map",
					"Name the type: in the parameter, or by extending " + unknown.getGenericDeclaration()
							+ " with it, as in class Orders extends Base<Order>");
		}
		if (shape.rawType() == Object.class && !shape.takesAnything()
				&& !this.parameter.hasParameterAnnotation(Payload.class)) {
			throw this.endpoint.invalid(
					"its parameter " + this.parameter.getParameterIndex() + " ("
							+ this.parameter.getGenericParameterType().getTypeName()
							+ ") does not say what to make of a payload, which would be given as bytes",
					"Name the type, as in Order; or take a Message<?> or a byte[] for the payload as it came; or mark the "
							+ "parameter with @Payload if a MessageConverter of yours knows what to make of it");
		}
	}

	void checkBeside() {
		Class<?> type = this.parameter.getParameterType();
		if (type == DeliveryInfo.class || type == MessageDelivery.class || type == FailedAttempt.class
				|| Message.class.isAssignableFrom(type)) {
			throw this.endpoint.invalid("a batch has no " + type.getSimpleName() + " of its own",
					"Take a List<Message<…>>, whose headers say the same of each message");
		}
		Header header = this.parameter.getParameterAnnotation(Header.class);
		if (header != null && !QueueHeaders.QUEUE.equals(name(header))) {
			throw this.endpoint.invalid(
					"a batch has no header '" + name(header) + "', only '" + QueueHeaders.QUEUE + "'",
					"Take a List<Message<…>>, which have the headers");
		}
	}

	/**
	 * Returns whether a parameter takes the message, or its payload.
	 */
	static boolean takesMessage(MethodParameter parameter) {
		return isPayload(parameter) || Message.class.isAssignableFrom(parameter.getParameterType());
	}

	static boolean isPayload(MethodParameter parameter) {
		Class<?> type = parameter.getParameterType();
		return !parameter.hasParameterAnnotation(Header.class) && !parameter.hasParameterAnnotation(Headers.class)
				&& !DeliveryArgumentResolver.isOfDelivery(parameter) && type != NextStep.class
				&& !Message.class.isAssignableFrom(type) && !MessageHeaders.class.isAssignableFrom(type)
				&& !MessageHeaderAccessor.class.isAssignableFrom(type);
	}

	static boolean takesHeaders(MethodParameter parameter) {
		Class<?> type = parameter.getParameterType();
		return Map.class.isAssignableFrom(type) || MessageHeaderAccessor.class.isAssignableFrom(type);
	}

	static boolean takesAcknowledgmentHeader(MethodParameter parameter) {
		Header header = parameter.getParameterAnnotation(Header.class);
		return header != null && header.name().equals(QueueHeaders.ACKNOWLEDGMENT);
	}

	/**
	 * Describes the parameter.
	 */
	String name() {
		return this.parameter.getParameterIndex() + " (" + this.parameter.getParameterType().getName() + ")";
	}

}
