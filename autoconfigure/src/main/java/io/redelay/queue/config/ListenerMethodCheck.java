package io.redelay.queue.config;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.DeliveryInfo;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.QueueHeaders;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.MethodParameter;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.support.MessageHeaderAccessor;
import org.springframework.scheduling.annotation.Async;

/**
 * Refuses methods that could be called with no message, or not as they are meant.
 */
final class ListenerMethodCheck {

	private static final Log logger = LogFactory.getLog(ListenerMethodCheck.class);

	private final ListableBeanFactory beanFactory;

	private final boolean canValidate;

	ListenerMethodCheck(ListableBeanFactory beanFactory, boolean canValidate) {
		this.beanFactory = beanFactory;
		this.canValidate = canValidate;
	}

	void check(QueueListenerEndpoint endpoint, List<MethodParameter> parameters) {
		checkResult(endpoint);
		List<MethodParameter> payloads = parameters.stream().filter(ListenerMethodCheck::isPayload).toList();
		if (payloads.size() > 1) {
			throw endpoint.invalid(
					"its parameters " + name(payloads.get(0)) + " and " + name(payloads.get(1))
							+ " would both be the payload",
					"Take the payload in one parameter; mark others with @Header, or take an "
							+ "Acknowledgment or a DeliveryInfo");
		}
		payloads.forEach((payload) -> checkPayload(endpoint, payload));
		if (parameters.stream().anyMatch(BatchArgumentResolver::isBatch)) {
			parameters.forEach((parameter) -> checkBeside(endpoint, parameter));
		}
	}

	private static void checkResult(QueueListenerEndpoint endpoint) {
		Class<?> type = endpoint.method().getReturnType();
		if (Future.class.isAssignableFrom(type) && !CompletionStage.class.isAssignableFrom(type)) {
			throw endpoint.invalid("its result, a " + type.getName() + ", cannot be waited for",
					"Return a CompletableFuture or another CompletionStage");
		}
		if (type == void.class && endpoint.annotation().ackMode() == AckMode.AUTO
				&& AnnotatedElementUtils.hasAnnotation(endpoint.method(), Async.class)) {
			logger.warn("The " + endpoint + " is @Async and returns nothing, so its messages are done before they are "
					+ "handled. Return a CompletableFuture, or leave @Async out: handlers run at the same time anyhow");
		}
	}

	private void checkPayload(QueueListenerEndpoint endpoint, MethodParameter payload) {
		if (!payload.hasParameterAnnotation(Payload.class) && isBean(payload.getParameterType())) {
			throw endpoint.invalid("its parameter " + name(payload) + " is the type of a bean, not of a payload",
					"Inject the bean into the constructor, or mark the parameter with @Payload");
		}
		if (!this.canValidate && PayloadShape.of(payload).validationHints() != null) {
			throw endpoint.invalid("its parameter " + name(payload) + " is to be validated, and there is no Validator",
					"Add spring-boot-starter-validation, or define one Validator");
		}
	}

	/**
	 * Types of the JDK are payloads, though some bean or other of the application may
	 * have one: a string, or the map of the system's properties.
	 */
	private boolean isBean(Class<?> type) {
		return !type.isPrimitive() && !type.isArray() && !type.getName().startsWith("java.")
				&& this.beanFactory.getBeanNamesForType(type, true, false).length > 0;
	}

	private static void checkBeside(QueueListenerEndpoint endpoint, MethodParameter parameter) {
		Class<?> type = parameter.getParameterType();
		if (type == DeliveryInfo.class || type == FailedAttempt.class || Message.class.isAssignableFrom(type)) {
			throw endpoint.invalid("a batch has no " + type.getSimpleName() + " of its own",
					"Take a List<Message<…>>, whose headers tell the same of each message");
		}
		Header header = parameter.getParameterAnnotation(Header.class);
		if (header != null && !header.name().equals(QueueHeaders.QUEUE)) {
			throw endpoint.invalid("a batch has no header '" + header.name() + "', only '" + QueueHeaders.QUEUE + "'",
					"Take a List<Message<…>>, which have the headers");
		}
	}

	/**
	 * Whether a parameter takes the message, or its payload.
	 */
	static boolean takesMessage(MethodParameter parameter) {
		return isPayload(parameter) || Message.class.isAssignableFrom(parameter.getParameterType());
	}

	private static boolean isPayload(MethodParameter parameter) {
		Class<?> type = parameter.getParameterType();
		return !parameter.hasParameterAnnotation(Header.class) && !parameter.hasParameterAnnotation(Headers.class)
				&& type != Acknowledgment.class && type != DeliveryInfo.class && type != FailedAttempt.class
				&& !Message.class.isAssignableFrom(type) && !MessageHeaders.class.isAssignableFrom(type)
				&& !MessageHeaderAccessor.class.isAssignableFrom(type);
	}

	private static String name(MethodParameter parameter) {
		return parameter.getParameterIndex() + " (" + parameter.getParameterType().getName() + ")";
	}

}
