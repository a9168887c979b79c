package io.redelay.queue.config;

import java.lang.reflect.TypeVariable;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import io.redelay.kotlin.SuspendFunctions;
import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.FailedAttempt;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.batch.BatchAcknowledgment;
import io.redelay.queue.batch.BatchResult;
import io.redelay.queue.listener.Paused;
import io.redelay.queue.work.Checkpoint;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.queue.work.MessageDelivery;
import io.redelay.queue.work.NextStep;
import io.redelay.queue.work.RecurringState;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.messaging.handler.annotation.Headers;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.support.MessageHeaderAccessor;
import org.springframework.scheduling.annotation.Async;

/**
 * Rejects methods that no message could be passed to, or that would not work as they are
 * meant.
 *
 * @param endpoint the listener, or one of its methods
 * @param parameters the parameters of the method
 * @param beanFactory the beans of the application
 * @param canValidate whether payloads can be validated
 */
record ListenerMethodCheck(QueueListenerEndpoint endpoint, List<MethodParameter> parameters,
		ListableBeanFactory beanFactory, boolean canValidate) {

	/**
	 * The annotation of a module that an application may be without.
	 */
	private static final String MY_LOCK = "io.redelay.lock.MyLock";

	private static final Log logger = LogFactory.getLog(ListenerMethodCheck.class);

	void check() {
		checkSuspend();
		checkResult();
		this.parameters.forEach(this::checkHeader);
		checkAcknowledgment();
		checkBeforeHandling();
		checkState(Checkpoint.class, "and a message has one",
				"delivered once at most, so no other delivery would read");
		checkState(RecurringState.class, "and a recurring message has one",
				"acknowledged before, so nothing could be saved with its acknowledgement by");
		List<MethodParameter> payloads = this.parameters.stream().filter(ListenerMethodCheck::isPayload).toList();
		if (payloads.size() > 1) {
			throw this.endpoint.invalid(
					"its parameters " + name(payloads.get(0)) + " and " + name(payloads.get(1))
							+ " would both be the payload",
					"Take the payload in one parameter; mark others with @Header, or take an "
							+ "Acknowledgment or a DeliveryInfo");
		}
		payloads.forEach(this::checkPayload);
		this.parameters.stream().filter(ListenerMethodCheck::takesMessage).forEach(this::checkType);
		if (this.parameters.stream().anyMatch(PayloadShape::isBatch)) {
			this.parameters.forEach(this::checkBeside);
		}
		else {
			checkSingle();
		}
	}

	/**
	 * Types that name messages of a batch have no meaning for a single message.
	 */
	private void checkSingle() {
		if (this.parameters.stream()
			.anyMatch((parameter) -> parameter.getParameterType() == BatchAcknowledgment.class)) {
			throw this.endpoint.invalid("it takes a BatchAcknowledgment, and one message at a time",
					"Take an Acknowledgment, or a List of payloads or messages");
		}
		if (returns(BatchResult.class)) {
			throw this.endpoint.invalid("it returns a BatchResult, and takes one message at a time",
					"Throw what the handling failed with, or take a List of payloads or messages");
		}
	}

	/**
	 * Returns whether a method returns a {@link BatchResult}, or something that completes
	 * with one.
	 */
	private boolean returns(Class<?> result) {
		ResolvableType type = ResolvableType.forMethodReturnType(this.endpoint.method());
		return type.toClass() == result || type.getGeneric(0).toClass() == result;
	}

	private void checkSuspend() {
		if (!SuspendFunctions.isSuspend(this.endpoint.method())) {
			return;
		}
		String missing = SuspendFunctions.missing();
		if (missing != null) {
			throw this.endpoint.invalid("it is a suspend function, which cannot be called without " + missing,
					"Add " + missing + " to the dependencies of the application");
		}
		if (AnnotatedElementUtils.hasAnnotation(this.endpoint.method(), Async.class)) {
			throw this.endpoint.invalid("it is a suspend function with @Async, which Spring cannot call",
					"Leave @Async out: a suspended handler blocks no thread");
		}
	}

	private void checkHeader(MethodParameter parameter) {
		Header header = parameter.getParameterAnnotation(Header.class);
		if (header != null && header.name().isEmpty() && name(header, parameter) == null) {
			throw this.endpoint.invalid(
					"which header its parameter " + name(parameter)
							+ " takes is not known, for the class was compiled without the names of parameters",
					"Name the header, as in @Header(\"tenant\"), or compile with -parameters");
		}
		if (parameter.hasParameterAnnotation(Headers.class) && !takesHeaders(parameter)) {
			throw this.endpoint.invalid("its parameter " + name(parameter) + " cannot be all the headers",
					"Take a Map<String, Object> or MessageHeaders with @Headers, or one header with @Header");
		}
	}

	private static @Nullable String name(Header header, MethodParameter parameter) {
		if (!header.name().isEmpty()) {
			return header.name();
		}
		parameter.initParameterNameDiscovery(new DefaultParameterNameDiscoverer());
		return parameter.getParameterName();
	}

	private static boolean takesHeaders(MethodParameter parameter) {
		Class<?> type = parameter.getParameterType();
		return Map.class.isAssignableFrom(type) || MessageHeaderAccessor.class.isAssignableFrom(type);
	}

	/**
	 * A message can be acknowledged by its header too.
	 */
	private void checkAcknowledgment() {
		boolean taken = this.parameters.stream()
			.anyMatch((parameter) -> DeliveryArgumentResolver.isAcknowledgment(parameter) || takesHeaders(parameter)
					|| PayloadShape.of(parameter).inMessage() || takesAcknowledgmentHeader(parameter));
		if (this.endpoint.annotation().ackMode() == AckMode.MANUAL && !taken && !returns(BatchResult.class)) {
			throw this.endpoint.invalid("ackMode",
					"with MANUAL, messages are held until an Acknowledgment ends them, and the method takes none",
					"Take an io.redelay.queue.Acknowledgment as a parameter, or leave ackMode out");
		}
	}

	/**
	 * A message that is acknowledged first can be neither acknowledged nor given back
	 * later.
	 */
	private void checkBeforeHandling() {
		if (this.endpoint.annotation().ackMode() != AckMode.BEFORE_HANDLING) {
			return;
		}
		if (this.parameters.stream().anyMatch(DeliveryArgumentResolver::isAcknowledgment)) {
			throw this.endpoint.invalid("ackMode",
					"with BEFORE_HANDLING, a message is acknowledged before the method is called, and the method"
							+ " takes an Acknowledgment",
					"Leave the parameter out, or set ackMode to MANUAL");
		}
		if (MergedAnnotations.from(this.endpoint.method(), SearchStrategy.TYPE_HIERARCHY).isPresent(MY_LOCK)) {
			throw this.endpoint.invalid("ackMode",
					"with BEFORE_HANDLING, a message whose lock is not acquired could not be given back, and would be"
							+ " lost",
					"Leave @MyLock out, or set ackMode to AUTO");
		}
		if (returns(Paused.class)) {
			throw this.endpoint.invalid("ackMode",
					"with BEFORE_HANDLING, a message whose handler is Paused could not be given back, and would be lost",
					"Return something else, or set ackMode to AUTO");
		}
	}

	/**
	 * A state that a handler saves with its message, or for the next run, belongs to one
	 * message, has a type, and is saved before the acknowledgement or with it.
	 */
	private void checkState(Class<?> kind, String one, String beforeHandling) {
		String name = kind.getSimpleName();
		List<MethodParameter> taken = this.parameters.stream()
			.filter((parameter) -> parameter.getParameterType() == kind)
			.toList();
		if (taken.isEmpty()) {
			return;
		}
		MethodParameter first = taken.get(0);
		if (taken.size() > 1) {
			throw this.endpoint.invalid("it takes two " + name + "s, " + one,
					"Take one " + name + ", of a type that has all");
		}
		ResolvableType state = ResolvableType.forMethodParameter(first).getGeneric(0);
		if (state.resolve(Object.class) == Object.class || state.hasUnresolvableGenerics()) {
			throw this.endpoint.invalid(
					"its parameter " + first.getParameterIndex() + " (" + first.getGenericParameterType().getTypeName()
							+ ") does not say what is saved, so it could not be read again",
					"Name the type of the state, as in " + name + "<Position>");
		}
		if (this.parameters.stream().anyMatch(PayloadShape::isBatch)) {
			throw this.endpoint.invalid("it takes a " + name + " and a batch, whose messages would each need one",
					"Take one message at a time, or leave the " + name + " out");
		}
		if (this.endpoint.annotation().ackMode() == AckMode.BEFORE_HANDLING) {
			throw this.endpoint.invalid("ackMode",
					"with BEFORE_HANDLING, a message is " + beforeHandling + " the " + name + " that the method takes",
					"Leave the parameter out, or set ackMode to AUTO");
		}
	}

	private static boolean takesAcknowledgmentHeader(MethodParameter parameter) {
		Header header = parameter.getParameterAnnotation(Header.class);
		return header != null && header.name().equals(QueueHeaders.ACKNOWLEDGMENT);
	}

	/**
	 * A payload carries no class name, so the parameter must declare the type to convert
	 * it to.
	 */
	private void checkType(MethodParameter parameter) {
		PayloadShape shape = PayloadShape.of(parameter);
		if (shape.isMessageInside()) {
			throw this.endpoint.invalid("its parameter " + name(parameter) + " wraps a Message, which is always there",
					"Take a Message<Optional<…>>");
		}
		TypeVariable<?> unknown = shape.unknownVariable();
		if (unknown != null) {
			throw this.endpoint.invalid(
					"what '" + unknown.getName() + "' stands for in its parameter " + parameter.getParameterIndex()
							+ " (" + parameter.getGenericParameterType().getTypeName()
							+ ") is not known, so a payload of it " + "would be given as bytes or as a map",
					"Name the type: in the parameter, or by extending " + unknown.getGenericDeclaration()
							+ " with it, as in class Orders extends Base<Order>");
		}
		if (shape.rawType() == Object.class && !shape.takesAnything()
				&& !parameter.hasParameterAnnotation(Payload.class)) {
			throw this.endpoint.invalid(
					"its parameter " + parameter.getParameterIndex() + " ("
							+ parameter.getGenericParameterType().getTypeName()
							+ ") does not say what to make of a payload, which would be given as bytes",
					"Name the type, as in Order; or take a Message<?> or a byte[] for the payload as it came; or mark the "
							+ "parameter with @Payload if a MessageConverter of yours knows what to make of it");
		}
	}

	private void checkResult() {
		Class<?> type = this.endpoint.method().getReturnType();
		if (Future.class.isAssignableFrom(type) && !CompletionStage.class.isAssignableFrom(type)) {
			throw this.endpoint.invalid("its result, a " + type.getName() + ", cannot be waited for",
					"Return a CompletableFuture or another CompletionStage");
		}
		if (type == void.class && this.endpoint.annotation().ackMode() == AckMode.AUTO
				&& AnnotatedElementUtils.hasAnnotation(this.endpoint.method(), Async.class)) {
			logger.warn("The " + this.endpoint
					+ " is @Async and returns nothing, so its messages are done before they are "
					+ "handled. Return a CompletableFuture, or leave @Async out: handlers run at the same time anyhow");
		}
	}

	private void checkPayload(MethodParameter payload) {
		if (!payload.hasParameterAnnotation(Payload.class) && isBean(payload.getParameterType())) {
			throw this.endpoint.invalid("its parameter " + name(payload) + " is the type of a bean, not of a payload",
					"Inject the bean into the constructor, or mark the parameter with @Payload");
		}
		if (!this.canValidate && PayloadShape.of(payload).validationHints() != null) {
			throw this.endpoint.invalid(
					"its parameter " + name(payload) + " is to be validated, and there is no Validator",
					"Add spring-boot-starter-validation, or define one Validator");
		}
	}

	/**
	 * Types of the JDK are payloads, even if some bean of the application has one: a
	 * string, or the map of the system's properties.
	 */
	private boolean isBean(Class<?> type) {
		return !type.isPrimitive() && !type.isArray() && !type.getName().startsWith("java.")
				&& this.beanFactory.getBeanNamesForType(type, true, false).length > 0;
	}

	private void checkBeside(MethodParameter parameter) {
		Class<?> type = parameter.getParameterType();
		if (type == DeliveryInfo.class || type == MessageDelivery.class || type == FailedAttempt.class
				|| Message.class.isAssignableFrom(type)) {
			throw this.endpoint.invalid("a batch has no " + type.getSimpleName() + " of its own",
					"Take a List<Message<…>>, whose headers say the same of each message");
		}
		Header header = parameter.getParameterAnnotation(Header.class);
		if (header != null && !QueueHeaders.QUEUE.equals(name(header, parameter))) {
			throw this.endpoint.invalid(
					"a batch has no header '" + name(header, parameter) + "', only '" + QueueHeaders.QUEUE + "'",
					"Take a List<Message<…>>, which have the headers");
		}
	}

	/**
	 * Returns whether a parameter takes the message, or its payload.
	 */
	static boolean takesMessage(MethodParameter parameter) {
		return isPayload(parameter) || Message.class.isAssignableFrom(parameter.getParameterType());
	}

	private static boolean isPayload(MethodParameter parameter) {
		Class<?> type = parameter.getParameterType();
		return !parameter.hasParameterAnnotation(Header.class) && !parameter.hasParameterAnnotation(Headers.class)
				&& !DeliveryArgumentResolver.isOfDelivery(parameter) && type != NextStep.class
				&& !Message.class.isAssignableFrom(type) && !MessageHeaders.class.isAssignableFrom(type)
				&& !MessageHeaderAccessor.class.isAssignableFrom(type);
	}

	private static String name(MethodParameter parameter) {
		return parameter.getParameterIndex() + " (" + parameter.getParameterType().getName() + ")";
	}

}
