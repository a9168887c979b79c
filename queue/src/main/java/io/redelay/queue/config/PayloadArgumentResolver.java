package io.redelay.queue.config;

import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import com.fasterxml.jackson.annotation.JsonView;
import io.redelay.kotlin.SuspendFunctions;
import io.redelay.queue.PayloadConversionException;
import io.redelay.queue.bundle.BundleSummary;
import io.redelay.queue.coroutine.HandlerCoroutines;
import io.redelay.queue.failure.ConversionFailure;
import io.redelay.queue.handle.Delivery;
import io.redelay.queue.message.Envelope;
import io.redelay.queue.send.JsonPayloadConverter;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.core.GenericTypeResolver;
import org.springframework.core.MethodParameter;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.messaging.converter.MessageConverter;
import org.springframework.messaging.converter.SmartMessageConverter;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolver;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.validation.BeanPropertyBindingResult;
import org.springframework.validation.BindingResult;
import org.springframework.validation.FieldError;
import org.springframework.validation.SmartValidator;
import org.springframework.validation.Validator;

/**
 * Passes the payload to a handler in the shape in which its parameter takes it:
 * converted, also if it is empty, and validated if the parameter asks for it. The
 * elements of a batch are converted one by one before the handler is called, with the
 * list or with a flow of them.
 */
final class PayloadArgumentResolver implements HandlerMethodArgumentResolver {

	private final String listener;

	private final MessageConverter converter;

	private final @Nullable Validator validator;

	private final List<PayloadShape> shapes;

	/**
	 * Readers of JSON payloads for the parameters, by their positions: see
	 * {@link #readerAt}.
	 */
	private final @Nullable ObjectReader[] readers;

	/**
	 * Creates a resolver.
	 * @param listener the listener, in words
	 * @param converter converts payloads
	 * @param validator validates them, if there is one
	 * @param shapes the shapes of the method's parameters, by their positions
	 */
	PayloadArgumentResolver(String listener, MessageConverter converter, @Nullable Validator validator,
			List<PayloadShape> shapes) {
		this.listener = listener;
		this.converter = converter;
		this.validator = validator;
		this.shapes = shapes;
		this.readers = new ObjectReader[shapes.size()];
		if (converter instanceof JsonPayloadConverter json) {
			Arrays.setAll(this.readers, (position) -> reader(json.mapper(), shapes.get(position)));
		}
	}

	/**
	 * Returns a reader that reads JSON payloads for a parameter as the converter does.
	 * @return the reader, or {@code null} if the parameter takes the payload as it is, or
	 * a view of it
	 */
	private static @Nullable ObjectReader reader(JsonMapper mapper, PayloadShape shape) {
		Class<?> type = shape.rawType();
		MethodParameter hint = shape.conversionHint();
		if (type == String.class || type.isAssignableFrom(byte[].class)
				|| hint.hasParameterAnnotation(JsonView.class)) {
			return null;
		}
		Type declared = GenericTypeResolver.resolveType(hint.getNestedGenericParameterType(),
				hint.getContainingClass());
		// Looks for a deserializer when the first payload comes, and not at the start.
		return mapper.reader()
			.without(DeserializationFeature.EAGER_DESERIALIZER_FETCH)
			.forType(mapper.constructType(declared));
	}

	/**
	 * Returns the reader for a parameter, unless the converter was given others to ask.
	 */
	private @Nullable ObjectReader readerAt(int position) {
		return (this.converter instanceof JsonPayloadConverter json && json.isOriginal()) ? this.readers[position]
				: null;
	}

	@Override
	public boolean supportsParameter(MethodParameter parameter) {
		return true;
	}

	@Override
	public @Nullable Object resolveArgument(MethodParameter parameter, Message<?> message) {
		PayloadShape shape = this.shapes.get(parameter.getParameterIndex());
		if (shape.inBatch()) {
			Object batch = message.getPayload();
			return (batch instanceof List<?> list && SuspendFunctions.isFlow(parameter.getParameterType()))
					? HandlerCoroutines.flow(list) : batch;
		}
		boolean nothing = shape.nullable() && JsonPayload.isNull(message);
		return nothing ? null : take(parameter, message);
	}

	/**
	 * Returns the value of a parameter, or of one element if the parameter takes a batch,
	 * which needs no {@link Message}.
	 * @return the value, or {@code null} if {@link #take} has to find it
	 */
	@Nullable Object read(Delivery delivery, int position) {
		PayloadShape shape = this.shapes.get(position);
		Envelope sent = shape.inMessage() ? null : delivery.sentEnvelope();
		ObjectReader reader = (sent != null && sent.isJson()) ? readerAt(position) : null;
		if (sent == null || reader == null || sent.end() <= sent.start() || sent.bytes()[sent.start()] == 'n'
				|| (shape.inBatch() && sent.aggregate())) {
			return null;
		}
		Object payload = read(reader, sent.bytes(), sent.start(), sent.end() - sent.start());
		return checked(shape, (payload != null) ? payload : convert(shape, delivery.message()));
	}

	private @Nullable Object read(ObjectReader reader, byte[] bytes, int start, int length) {
		try {
			Object payload = reader.readValue(bytes, start, length);
			return (payload != null) ? withResults(payload) : null;
		}
		catch (RuntimeException ex) {
			// The converter fails as well, and with a reason.
			return null;
		}
	}

	/**
	 * Returns the value of a parameter, or of one element if the parameter takes a batch.
	 */
	Object take(MethodParameter parameter, Message<?> message) {
		int position = parameter.getParameterIndex();
		PayloadShape shape = this.shapes.get(position);
		Object payload = payload(position, shape, message);
		return shape.inMessage() ? MessageBuilder.createMessage(payload, message.getHeaders()) : payload;
	}

	private Object payload(int position, PayloadShape shape, Message<?> message) {
		if (shape.optional() && JsonPayload.isNull(message)) {
			return Optional.empty();
		}
		ObjectReader reader = readerAt(position);
		Object read = (reader != null && message.getPayload() instanceof byte[] bytes && JsonPayload.isJson(message))
				? read(reader, bytes, 0, bytes.length) : null;
		return checked(shape, (read != null) ? read : convert(shape, message));
	}

	private Object checked(PayloadShape shape, Object payload) {
		validate(shape, payload);
		return shape.optional() ? Optional.of(payload) : payload;
	}

	private Object convert(PayloadShape shape, Message<?> message) {
		Class<?> type = shape.rawType();
		if (type.isInstance(message.getPayload()) && !(message.getPayload() instanceof byte[])) {
			return message.getPayload();
		}
		Object payload;
		try {
			payload = (this.converter instanceof SmartMessageConverter smart)
					? smart.fromMessage(message, type, shape.conversionHint())
					: this.converter.fromMessage(message, type);
		}
		catch (RuntimeException ex) {
			PayloadConversionException failure = ConversionFailure.exception(doesNotFit(shape), ex);
			throw new PayloadConversionException(failure.getMessage() + hint(shape, message), failure.getCause());
		}
		if (payload != null) {
			return withResults(payload);
		}
		if (type.isInstance(message.getPayload())) {
			return message.getPayload();
		}
		if (JsonPayload.isNull(message)) {
			throw new PayloadConversionException(doesNotFit(shape) + ": its JSON is null. Take an Optional<"
					+ type.getSimpleName() + ">, or a parameter that may be null, where there may be nothing", null);
		}
		Object contentType = message.getHeaders().get(MessageHeaders.CONTENT_TYPE);
		boolean text = contentType != null && contentType.toString().startsWith("text/");
		throw new PayloadConversionException(doesNotFit(shape) + ": no MessageConverter makes it of " + contentType
				+ (text ? ". What is sent as a string is text: send the object itself instead of its JSON" : ""), null);
	}

	private Object withResults(Object payload) {
		return (payload instanceof BundleSummary summary)
				? summary.withResults(summary.results().convertedBy(this.converter)) : payload;
	}

	private String doesNotFit(PayloadShape shape) {
		return doesNotFit(this.listener) + ", which takes " + shape.type();
	}

	/**
	 * The beginning of the text that reports that a message does not fit a listener.
	 */
	static String doesNotFit(String listener) {
		return "It does not fit the " + listener;
	}

	/**
	 * Describes the actual payload if that explains a common mistake: a method with a
	 * list is meant to take one list, and gets a batch; or an object was sent as a string
	 * of its JSON.
	 */
	private static String hint(PayloadShape shape, Message<?> message) {
		String type = shape.rawType().getSimpleName();
		String kind = JsonPayload.kind(message);
		if (shape.inBatch() && kind.equals("a list")) {
			return ". The payload itself is a list, and a List<" + type
					+ "> parameter takes a batch of payloads of the type " + type + ": take a Collection<" + type
					+ "> or a Message<List<" + type + ">> for one payload, or a List<List<" + type
					+ ">> for a batch of them";
		}
		return (kind.isEmpty() || kind.equals("an object")) ? "" : ". The payload is " + kind;
	}

	private void validate(PayloadShape shape, Object payload) {
		List<Object> hints = shape.validationHints();
		if (hints == null || this.validator == null) {
			return;
		}
		BeanPropertyBindingResult result = new BeanPropertyBindingResult(payload, "payload");
		if (!hints.isEmpty() && this.validator instanceof SmartValidator smart) {
			smart.validate(payload, result, hints.toArray());
		}
		else {
			this.validator.validate(payload, result);
		}
		if (result.hasErrors()) {
			throw new PayloadConversionException(doesNotFit(shape) + ": it is not valid: " + problems(result), null);
		}
	}

	/**
	 * Describes the invalid fields, without their values.
	 */
	private static String problems(BindingResult result) {
		return result.getAllErrors()
			.stream()
			.map((error) -> ((error instanceof FieldError field) ? "'" + field.getField() + "' " : "")
					+ error.getDefaultMessage())
			.collect(Collectors.joining(", "));
	}

}
