package io.redelay.queue.config;

import java.lang.annotation.Annotation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.redelay.queue.Backoff;
import io.redelay.queue.QueueListener;
import io.redelay.queue.listener.ConversionFailureAction;
import io.redelay.queue.work.CancellationMode;
import io.redelay.template.MessageTemplates;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.config.BeanExpressionContext;
import org.springframework.beans.factory.config.BeanExpressionResolver;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.StringUtils;

/**
 * Resolves the placeholders and expressions in the attributes of an annotation, parses the
 * values, and finds the beans that they name.
 */
record AttributeResolver(ConfigurableListableBeanFactory beanFactory) {

	/**
	 * Reads the attributes that the configuration of a queue can replace.
	 */
	ListenerValues values(QueueListenerEndpoint endpoint) {
		QueueListener annotation = endpoint.annotation();
		Backoff backoff = annotation.backoff();
		return new ListenerValues(
				new ListenerValues.Container(text(endpoint, "concurrency", annotation.concurrency()),
						number(endpoint, "prefetch", annotation.prefetch()),
						duration(endpoint, "leaseTime", annotation.leaseTime()),
						number(endpoint, "batchSize", annotation.batchSize()),
						duration(endpoint, "batchTimeout", annotation.batchTimeout()),
						flag(endpoint, "autoStartup", annotation.autoStartup())),
				new ListenerValues.Handling(duration(endpoint, "maxHandlingTime", annotation.maxHandlingTime()),
						number(endpoint, "maxAttempts", annotation.maxAttempts()),
						text(endpoint, "errorHandler", annotation.errorHandler()),
						constant(endpoint, "onConversionFailure", annotation.onConversionFailure(),
								ConversionFailureAction.class),
						flag(endpoint, "resetAttemptsOnProgress", annotation.resetAttemptsOnProgress()),
						constant(endpoint, "cancellation", annotation.cancellation(), CancellationMode.class),
						text(endpoint, "filter", annotation.filter())),
				new ListenerValues.Backoff(duration(endpoint, "backoff.initialInterval", backoff.initialInterval()),
						fraction(endpoint, "backoff.multiplier", backoff.multiplier()),
						duration(endpoint, "backoff.maxInterval", backoff.maxInterval()),
						fraction(endpoint, "backoff.jitter", backoff.jitter()),
						text(endpoint, "backoff.bean", backoff.bean())),
				new ListenerValues.Limits(text(endpoint, "rateLimit", annotation.rateLimit()),
						number(endpoint, "maxInFlight", annotation.maxInFlight()),
						text(endpoint, "keyRateLimit", annotation.keyRateLimit()),
						number(endpoint, "keyMaxInFlight", annotation.keyMaxInFlight()),
						text(endpoint, "sharedLimit", annotation.sharedLimit())),
				new ListenerValues.Idempotency(template(endpoint, "idempotencyKey", annotation.idempotencyKey()),
						duration(endpoint, "idempotencyWindow", annotation.idempotencyWindow())));
	}

	@Nullable String text(QueueListenerEndpoint endpoint, String attribute, String value) {
		Object resolved = resolve(endpoint, attribute, value);
		String text = (resolved != null) ? resolved.toString().strip() : "";
		return text.isEmpty() ? null : text;
	}

	/**
	 * Returns what parses the templates whose expressions are evaluated for each message.
	 */
	MessageTemplates templates() {
		return new MessageTemplates(this.beanFactory);
	}

	/**
	 * Resolves placeholders only: the expressions of a template are evaluated for each
	 * message.
	 */
	private @Nullable String template(QueueListenerEndpoint endpoint, String attribute, String value) {
		String text = placeholders(endpoint, attribute, value);
		return (text == null || text.isBlank()) ? null : text.strip();
	}

	List<String> texts(QueueListenerEndpoint endpoint, String attribute, String[] values) {
		List<String> texts = new ArrayList<>();
		for (String value : values) {
			collect(resolve(endpoint, attribute, value), texts);
		}
		return texts;
	}

	private @Nullable Integer number(QueueListenerEndpoint endpoint, String attribute, String value) {
		return read(endpoint, attribute, value, "a whole number like 5", Integer::valueOf);
	}

	private @Nullable Double fraction(QueueListenerEndpoint endpoint, String attribute, String value) {
		return read(endpoint, attribute, value, "a number like 1.5", Double::valueOf);
	}

	private @Nullable Duration duration(QueueListenerEndpoint endpoint, String attribute, String value) {
		return read(endpoint, attribute, value, "a duration like 500ms, 30s, 5m or PT30S",
				DurationFormatterUtils::detectAndParse);
	}

	@Nullable Boolean flag(QueueListenerEndpoint endpoint, String attribute, String value) {
		return read(endpoint, attribute, value, "true or false", (text) -> switch (text) {
			case "true" -> true;
			case "false" -> false;
			default -> throw new IllegalArgumentException(text);
		});
	}

	<E extends Enum<E>> @Nullable E constant(QueueListenerEndpoint endpoint, String attribute, String value,
			Class<E> type) {
		String constants = Arrays.stream(type.getEnumConstants())
			.map((constant) -> constant.name().toLowerCase(Locale.ROOT))
			.collect(Collectors.joining(" or "));
		return read(endpoint, attribute, value, constants, (text) -> Enum.valueOf(type, text.toUpperCase(Locale.ROOT)));
	}

	/**
	 * Returns the bean that an attribute names, or rejects the listener.
	 */
	<T> T bean(QueueListenerEndpoint endpoint, String attribute, String name, Class<T> type) {
		try {
			return this.beanFactory.getBean(name, type);
		}
		catch (NoSuchBeanDefinitionException ex) {
			if (!name.equals(ex.getBeanName())) {
				throw ex;
			}
			throw endpoint.invalid(attribute, "there is no " + type.getSimpleName() + " bean named '" + name + "'",
					"Define the bean, or name none");
		}
		catch (BeanNotOfRequiredTypeException ex) {
			throw endpoint.invalid(attribute,
					"there is no " + type.getSimpleName() + " bean named '" + name + "': the bean of this name is a "
							+ ex.getActualType().getName(),
					"Define the bean as a " + type.getName() + ", or name another one");
		}
	}

	/**
	 * Returns all beans of a type that have an annotation, in their order.
	 */
	<T> List<T> markedBeans(Class<T> type, Class<? extends Annotation> annotation) {
		Set<T> marked = Collections.newSetFromMap(new IdentityHashMap<>());
		for (String name : this.beanFactory.getBeanNamesForType(type)) {
			if (this.beanFactory.findAnnotationOnBean(name, annotation) != null) {
				marked.add(this.beanFactory.getBean(name, type));
			}
		}
		return this.beanFactory.getBeanProvider(type).orderedStream().filter(marked::contains).toList();
	}

	/**
	 * Returns the bean that is used if an annotation names none, if there is one.
	 */
	<T> @Nullable T beanByDefault(String name, Class<T> type) {
		return (this.beanFactory.containsBean(name) && this.beanFactory.isTypeMatch(name, type))
				? this.beanFactory.getBean(name, type) : null;
	}

	private <T> @Nullable T read(QueueListenerEndpoint endpoint, String attribute, String value, String expected,
			Function<String, T> reader) {
		String text = text(endpoint, attribute, value);
		if (text == null) {
			return null;
		}
		try {
			return reader.apply(text);
		}
		catch (IllegalArgumentException ex) {
			throw endpoint.invalid(attribute, "'" + text + "' is not " + expected, "Write " + expected);
		}
	}

	private @Nullable Object resolve(QueueListenerEndpoint endpoint, String attribute, String value) {
		String text = placeholders(endpoint, attribute, value);
		BeanExpressionResolver expressions = this.beanFactory.getBeanExpressionResolver();
		if (text == null || expressions == null || !text.contains("#{")) {
			return text;
		}
		try {
			return expressions.evaluate(text, new BeanExpressionContext(this.beanFactory, null));
		}
		catch (RuntimeException ex) {
			throw endpoint.invalid(attribute, "the expression in '" + value + "' cannot be evaluated: "
					+ NestedExceptionUtils.getMostSpecificCause(ex).getMessage(), "Correct the expression", ex);
		}
	}

	private @Nullable String placeholders(QueueListenerEndpoint endpoint, String attribute, String value) {
		if (value.isEmpty()) {
			return value;
		}
		String text;
		try {
			text = this.beanFactory.resolveEmbeddedValue(value);
		}
		catch (RuntimeException ex) {
			throw unknownPlaceholder(endpoint, attribute, value, ex);
		}
		if (text != null && text.contains("${")) {
			throw unknownPlaceholder(endpoint, attribute, value, null);
		}
		return text;
	}

	private static InvalidQueueListenerException unknownPlaceholder(QueueListenerEndpoint endpoint, String attribute,
			String value, @Nullable RuntimeException cause) {
		return endpoint.invalid(attribute, "'" + value + "' has a placeholder for a property that is not set",
				"Set the property, or give a default as in ${name:default}", cause);
	}

	private static void collect(@Nullable Object resolved, List<String> texts) {
		if (resolved instanceof Collection<?> several) {
			several.forEach((each) -> collect(each, texts));
		}
		else if (resolved instanceof Object[] several) {
			Arrays.asList(several).forEach((each) -> collect(each, texts));
		}
		else if (resolved != null) {
			for (String part : StringUtils.commaDelimitedListToStringArray(resolved.toString())) {
				if (StringUtils.hasText(part)) {
					texts.add(part.strip());
				}
			}
		}
	}

}
