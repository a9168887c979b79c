package io.redelay.queue.config;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import io.redelay.kotlin.SuspendFunctions;
import io.redelay.log.PlainLog;
import io.redelay.queue.AckMode;
import io.redelay.queue.Acknowledgment;
import io.redelay.queue.batch.BatchAcknowledgment;
import io.redelay.queue.batch.BatchResult;
import io.redelay.queue.listener.Paused;
import io.redelay.queue.work.Checkpoint;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.queue.work.RecurringState;
import org.apache.commons.logging.Log;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.messaging.handler.annotation.Header;
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

	private static final Log logger = PlainLog.of(ListenerMethodCheck.class);

	void check() {
		checkSuspend();
		checkResult();
		this.parameters.forEach((parameter) -> of(parameter).checkHeader());
		checkAcknowledgment();
		checkBeforeHandling();
		checkState(Checkpoint.class, "and a message has one",
				"delivered once at most, so no other delivery would read");
		checkState(RecurringState.class, "and a recurring message has one",
				"acknowledged before, so nothing could be saved with its acknowledgement by");
		List<MethodParameter> payloads = this.parameters.stream().filter(ListenerParameterCheck::isPayload).toList();
		if (payloads.size() > 1) {
			throw this.endpoint.invalid(
					"its parameters " + of(payloads.get(0)).name() + " and " + of(payloads.get(1)).name()
							+ " would both be the payload",
					"Take the payload in one parameter; mark others with @Header, or take an "
							+ "Acknowledgment or a DeliveryInfo");
		}
		payloads.forEach((payload) -> of(payload).checkPayload(this.beanFactory, this.canValidate));
		this.parameters.stream()
			.filter(ListenerParameterCheck::takesMessage)
			.forEach((parameter) -> of(parameter).checkType());
		if (this.parameters.stream().anyMatch(PayloadShape::isBatch)) {
			this.parameters.forEach((parameter) -> of(parameter).checkBeside());
		}
		else {
			checkSingle();
		}
	}

	private ListenerParameterCheck of(MethodParameter parameter) {
		return new ListenerParameterCheck(this.endpoint, parameter);
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

	/**
	 * A message can be acknowledged by its header too.
	 */
	private void checkAcknowledgment() {
		boolean taken = this.parameters.stream()
			.anyMatch((parameter) -> DeliveryArgumentResolver.isAcknowledgment(parameter)
					|| ListenerParameterCheck.takesHeaders(parameter) || PayloadShape.of(parameter).inMessage()
					|| ListenerParameterCheck.takesAcknowledgmentHeader(parameter));
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

}
