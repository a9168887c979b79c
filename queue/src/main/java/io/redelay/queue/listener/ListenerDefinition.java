package io.redelay.queue.listener;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.redelay.queue.AckMode;
import io.redelay.queue.Backoff;
import io.redelay.queue.GroupFilter;
import io.redelay.queue.HeaderFilter;
import io.redelay.queue.MessageBackoff;
import io.redelay.queue.QueueListener;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.messaging.Message;
import org.springframework.util.Assert;

/**
 * A listener to {@linkplain QueueListeners#register register} while the application runs:
 * {@code ListenerDefinition.of("import-7", "imports").concurrency("2").handler(Line.class,
 * this::store)}. It takes what a {@link QueueListener} takes, and its attributes have the
 * same names, defaults and properties. Each method returns a new definition and leaves
 * this one as it is.
 *
 * @since 0.1.0
 */
public final class ListenerDefinition {

	private final String id;

	private final List<String> queues;

	private final Map<String, Object> attributes;

	private final @Nullable Target target;

	private ListenerDefinition(String id, List<String> queues, Map<String, Object> attributes,
			@Nullable Target target) {
		this.id = id;
		this.queues = queues;
		this.attributes = attributes;
		this.target = target;
	}

	/**
	 * Begins the definition of a listener.
	 * @param id its id, unique in the application
	 * @param queues the queues it listens to
	 * @return the definition, which lacks a handler
	 */
	public static ListenerDefinition of(String id, String... queues) {
		Assert.hasText(id, "'id' must not be empty");
		Map<String, Object> attributes = new LinkedHashMap<>();
		attributes.put("id", id);
		attributes.put("value", queues.clone());
		attributes.put("queues", queues.clone());
		return new ListenerDefinition(id, List.of(queues), attributes, null);
	}

	/**
	 * Sets any attribute of {@link QueueListener}.
	 * @param name the name of the attribute
	 * @param value its value: a string, a constant or an array, as the attribute has it;
	 * strings resolve <code>${…}</code> and <code>#{…}</code>
	 * @return the definition
	 */
	public ListenerDefinition attribute(String name, Object value) {
		Assert.isTrue(
				Arrays.stream(QueueListener.class.getDeclaredMethods())
					.anyMatch((attribute) -> attribute.getName().equals(name)
							&& attribute.getReturnType().isInstance(value)),
				() -> "'" + name + "' is no attribute of a @QueueListener that could be a "
						+ value.getClass().getSimpleName() + "; see the attributes of QueueListener");
		Map<String, Object> extended = new LinkedHashMap<>(this.attributes);
		extended.put(name, value);
		return new ListenerDefinition(this.id, this.queues, extended, this.target);
	}

	/**
	 * Sets how many handlers run at the same time.
	 * @param concurrency a number like {@code 8}, or a range like {@code 1-16}
	 * @return the definition
	 */
	public ListenerDefinition concurrency(String concurrency) {
		return attribute("concurrency", concurrency);
	}

	/**
	 * Sets how a message is acknowledged.
	 * @param ackMode the mode
	 * @return the definition
	 */
	public ListenerDefinition ackMode(AckMode ackMode) {
		return attribute("ackMode", ackMode);
	}

	/**
	 * Sets how often a message is delivered at most.
	 * @param maxAttempts the number, the first time included
	 * @return the definition
	 */
	public ListenerDefinition maxAttempts(int maxAttempts) {
		return attribute("maxAttempts", String.valueOf(maxAttempts));
	}

	/**
	 * Sets how long handling one message may take.
	 * @param maxHandlingTime the time
	 * @return the definition
	 */
	public ListenerDefinition maxHandlingTime(Duration maxHandlingTime) {
		return attribute("maxHandlingTime", maxHandlingTime.toString());
	}

	/**
	 * Sets how long to wait before a message is delivered again after a failure.
	 * @param backoff the backoff
	 * @return the definition
	 */
	public ListenerDefinition backoff(MessageBackoff backoff) {
		Map<String, Object> values = new LinkedHashMap<>();
		values.put("initialInterval", backoff.initialInterval().toString());
		values.put("multiplier", String.valueOf(backoff.multiplier()));
		values.put("maxInterval", backoff.maxInterval().toString());
		values.put("jitter", String.valueOf(backoff.jitter()));
		return attribute("backoff", AnnotationUtils.synthesizeAnnotation(values, Backoff.class, null));
	}

	/**
	 * Sets which messages of its topic the group of the listener gets copies of.
	 * @param filter the filter, whose names and values resolve <code>${…}</code> and
	 * <code>#{…}</code>, as in the annotation
	 * @return the definition
	 */
	public ListenerDefinition groupFilter(GroupFilter filter) {
		return attribute("groupFilter",
				filter.conditions().stream().map(ListenerDefinition::headerFilter).toArray(HeaderFilter[]::new));
	}

	private static HeaderFilter headerFilter(GroupFilter.Condition condition) {
		List<String> values = condition.values();
		Map<String, Object> attributes = new LinkedHashMap<>();
		attributes.put("name", condition.header());
		switch (condition.operator()) {
			case PREFIX -> attributes.put("prefix", values.get(0));
			case EXISTS, ABSENT ->
				attributes.put("exists", String.valueOf(condition.operator() == GroupFilter.Operator.EXISTS));
			case ONE_OF -> attributes.put((values.size() == 1) ? "equalTo" : "oneOf",
					(values.size() == 1) ? values.get(0) : values.toArray(String[]::new));
		}
		return AnnotationUtils.synthesizeAnnotation(attributes, HeaderFilter.class, null);
	}

	/**
	 * Sets whether the listener starts when it is registered, or with the application if
	 * that is later.
	 * @param autoStartup {@code false} to start it with {@link QueueListeners#start}
	 * @return the definition
	 */
	public ListenerDefinition autoStartup(boolean autoStartup) {
		return attribute("autoStartup", String.valueOf(autoStartup));
	}

	/**
	 * Has a function handle the payload of each message.
	 * @param <T> the type of the payload
	 * @param payload the type that the payload is converted to
	 * @param handler handles the payload; what it throws is a failure of the message
	 * @return the definition
	 */
	public <T> ListenerDefinition handler(Class<T> payload, PayloadHandler<? super T> handler) {
		return function(ResolvableType.forClass(payload), payload::cast, (T value) -> {
			handler.handle(value);
			return null;
		});
	}

	/**
	 * Has a function handle each message, with its headers.
	 * @param <T> the type of the payload
	 * @param payload the type that the payload is converted to
	 * @param handler handles the message
	 * @return the definition
	 */
	@SuppressWarnings("unchecked")
	public <T> ListenerDefinition messageHandler(Class<T> payload, MessageFunction<Message<T>> handler) {
		return function(ResolvableType.forClassWithGenerics(Message.class, payload), (given) -> (Message<T>) given,
				handler);
	}

	/**
	 * Has a function handle batches.
	 * @param <T> the type of the payload
	 * @param payload the type that each payload is converted to
	 * @param handler handles the messages of a batch
	 * @return the definition
	 */
	@SuppressWarnings("unchecked")
	public <T> ListenerDefinition batchHandler(Class<T> payload, MessageFunction<List<Message<T>>> handler) {
		ResolvableType message = ResolvableType.forClassWithGenerics(Message.class, payload);
		return function(ResolvableType.forClassWithGenerics(List.class, message), (given) -> (List<Message<T>>) given,
				handler);
	}

	private <A> ListenerDefinition function(ResolvableType parameter, Function<Object, A> cast,
			MessageFunction<? super A> function) {
		return new ListenerDefinition(this.id, this.queues, this.attributes,
				new Target.OfFunction(parameter, (argument) -> function.handle(cast.apply(argument))));
	}

	/**
	 * Has a method of a bean handle each message. It may take what a method with a
	 * {@link QueueListener} may take, and is called through the proxy of the bean.
	 * @param bean the bean
	 * @param method the name of the method, of which there must be one only
	 * @return the definition
	 */
	public ListenerDefinition method(Object bean, String method) {
		Assert.notNull(bean, "'bean' must not be null");
		Assert.hasText(method, "'method' must not be empty");
		return new ListenerDefinition(this.id, this.queues, this.attributes, new Target.OfMethod(bean, method));
	}

	/**
	 * Has the methods of a bean that have a {@link QueueHandler} handle the messages,
	 * each for its payload types.
	 * @param bean the bean
	 * @return the definition
	 */
	public ListenerDefinition handlers(Object bean) {
		Assert.notNull(bean, "'bean' must not be null");
		return new ListenerDefinition(this.id, this.queues, this.attributes, new Target.OfHandlers(bean));
	}

	/**
	 * Returns the id of the listener.
	 * @return the id
	 */
	public String id() {
		return this.id;
	}

	/**
	 * Returns the attributes.
	 * @return the values by the names of the attributes of {@link QueueListener}
	 */
	public Map<String, Object> attributes() {
		return Collections.unmodifiableMap(this.attributes);
	}

	/**
	 * Returns what handles the messages.
	 * @return the function, the method or the methods
	 * @throws IllegalStateException if nothing does
	 */
	public Target target() {
		Target present = this.target;
		Assert.state(present != null, () -> "The listener '" + id()
				+ "' has nothing that handles its messages: call handler, messageHandler, batchHandler, method or handlers");
		return present;
	}

	@Override
	public String toString() {
		return "listener '" + this.id + "' of the queues " + this.queues;
	}

	/**
	 * Handles payloads.
	 *
	 * @param <T> the type of the payloads
	 */
	@FunctionalInterface
	public interface PayloadHandler<T> {

		/**
		 * Handles a payload.
		 * @param payload the payload
		 * @throws Exception if that failed
		 */
		void handle(T payload) throws Exception;

	}

	/**
	 * Handles messages.
	 *
	 * @param <A> the message, or the list of those of a batch
	 */
	@FunctionalInterface
	public interface MessageFunction<A> {

		/**
		 * Handles a message or a batch.
		 * @param argument the message or the batch
		 * @return what to wait for, or {@code null} if the handling is complete
		 * @throws Exception if that failed
		 */
		@Nullable CompletionStage<?> handle(A argument) throws Exception;

	}

	/**
	 * What handles the messages of a listener.
	 */
	public sealed interface Target {

		/**
		 * A function.
		 *
		 * @param parameter the type of its argument
		 * @param function the function
		 */
		record OfFunction(ResolvableType parameter, MessageFunction<Object> function) implements Target {

		}

		/**
		 * A method of a bean.
		 *
		 * @param bean the bean
		 * @param method the name of the method
		 */
		record OfMethod(Object bean, String method) implements Target {

		}

		/**
		 * The methods of a bean that handle payload types.
		 *
		 * @param bean the bean
		 */
		record OfHandlers(Object bean) implements Target {

		}

	}

}
