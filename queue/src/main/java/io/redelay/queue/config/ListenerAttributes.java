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
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.redelay.log.PlainLog;
import io.redelay.queue.Backoff;
import io.redelay.queue.QueueListener;
import io.redelay.queue.limits.QueueName;
import io.redelay.queue.listener.ConversionFailureAction;
import io.redelay.queue.work.CancellationMode;
import io.redelay.template.MessageTemplates;
import org.apache.commons.logging.Log;
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
 * The attributes of a listener. Resolves the placeholders and expressions in them, parses
 * the values, and finds the beans that they name.
 *
 * @param endpoint the listener
 * @param beanFactory the beans of the application
 */
record ListenerAttributes(QueueListenerEndpoint endpoint, ConfigurableListableBeanFactory beanFactory) {

	private static final Log logger = PlainLog.of(ListenerAttributes.class);

	/**
	 * Reads the attributes that the configuration of a queue can replace.
	 */
	ListenerValues values() {
		QueueListener annotation = annotation();
		Backoff backoff = annotation.backoff();
		return new ListenerValues(new ListenerValues.Container(text("concurrency", annotation.concurrency()),
				number("prefetch", annotation.prefetch()), duration("leaseTime", annotation.leaseTime()),
				number("batchSize", annotation.batchSize()), duration("batchTimeout", annotation.batchTimeout()),
				flag("autoStartup", annotation.autoStartup())),
				new ListenerValues.Handling(duration("maxHandlingTime", annotation.maxHandlingTime()),
						number("maxAttempts", annotation.maxAttempts()),
						text("errorHandler", annotation.errorHandler()),
						constant("onConversionFailure", annotation.onConversionFailure(),
								ConversionFailureAction.class),
						flag("resetAttemptsOnProgress", annotation.resetAttemptsOnProgress()),
						constant("cancellation", annotation.cancellation(), CancellationMode.class),
						text("filter", annotation.filter())),
				new ListenerValues.Backoff(duration("backoff.initialInterval", backoff.initialInterval()),
						fraction("backoff.multiplier", backoff.multiplier()),
						duration("backoff.maxInterval", backoff.maxInterval()),
						fraction("backoff.jitter", backoff.jitter()), text("backoff.bean", backoff.bean())),
				new ListenerValues.Limits(text("rateLimit", annotation.rateLimit()),
						number("maxInFlight", annotation.maxInFlight()),
						text("keyRateLimit", annotation.keyRateLimit()),
						number("keyMaxInFlight", annotation.keyMaxInFlight()),
						text("sharedLimit", annotation.sharedLimit())),
				new ListenerValues.Idempotency(template("idempotencyKey", annotation.idempotencyKey()),
						duration("idempotencyWindow", annotation.idempotencyWindow())));
	}

	@Nullable String text(String attribute, String value) {
		Object resolved = resolve(attribute, value);
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
	private @Nullable String template(String attribute, String value) {
		String text = placeholders(attribute, value);
		return (text == null || text.isBlank()) ? null : text.strip();
	}

	List<String> texts(String attribute, String[] values) {
		List<String> texts = new ArrayList<>();
		for (String value : values) {
			collect(resolve(attribute, value), texts);
		}
		return texts;
	}

	private @Nullable Integer number(String attribute, String value) {
		return read(attribute, value, "a whole number like 5", Integer::valueOf);
	}

	private @Nullable Double fraction(String attribute, String value) {
		return read(attribute, value, "a number like 1.5", Double::valueOf);
	}

	private @Nullable Duration duration(String attribute, String value) {
		if (value.matches("[1-9]\\d*")) {
			logger.warn(invalid(attribute, "'" + value + "' has no unit and counts as milliseconds",
					"Write " + value + "ms, or the unit that is meant, as in " + value + "s")
				.getMessage());
		}
		return read(attribute, value, "a duration like 500ms, 30s, 5m or PT30S",
				DurationFormatterUtils::detectAndParse);
	}

	@Nullable Boolean flag(String attribute, String value) {
		return read(attribute, value, "true or false", (text) -> switch (text) {
			case "true" -> true;
			case "false" -> false;
			default -> throw new IllegalArgumentException(text);
		});
	}

	<E extends Enum<E>> @Nullable E constant(String attribute, String value, Class<E> type) {
		String constants = Arrays.stream(type.getEnumConstants())
			.map((constant) -> constant.name().toLowerCase(Locale.ROOT))
			.collect(Collectors.joining(" or "));
		return read(attribute, value, constants, (text) -> Enum.valueOf(type, text.toUpperCase(Locale.ROOT)));
	}

	/**
	 * Returns the bean that an attribute names, or rejects the listener.
	 */
	<T> T bean(String attribute, String name, Class<T> type) {
		try {
			return this.beanFactory.getBean(name, type);
		}
		catch (NoSuchBeanDefinitionException ex) {
			if (!name.equals(ex.getBeanName())) {
				throw ex;
			}
			throw invalid(attribute, "there is no " + type.getSimpleName() + " bean named '" + name + "'",
					"Define the bean, or name none");
		}
		catch (BeanNotOfRequiredTypeException ex) {
			throw invalid(attribute,
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

	private <T> @Nullable T read(String attribute, String value, String expected, Function<String, T> reader) {
		String text = text(attribute, value);
		if (text == null) {
			return null;
		}
		try {
			return reader.apply(text);
		}
		catch (IllegalArgumentException ex) {
			throw invalid(attribute, "'" + text + "' is not " + expected, "Write " + expected);
		}
	}

	private @Nullable Object resolve(String attribute, String value) {
		String text = placeholders(attribute, value);
		BeanExpressionResolver expressions = this.beanFactory.getBeanExpressionResolver();
		if (text == null || expressions == null || !text.contains("#{")) {
			return text;
		}
		try {
			return expressions.evaluate(text, new BeanExpressionContext(this.beanFactory, null));
		}
		catch (RuntimeException ex) {
			throw invalid(attribute, "the expression in '" + value + "' cannot be evaluated: "
					+ NestedExceptionUtils.getMostSpecificCause(ex).getMessage(), "Correct the expression", ex);
		}
	}

	private @Nullable String placeholders(String attribute, String value) {
		if (value.isEmpty()) {
			return value;
		}
		String text;
		try {
			text = this.beanFactory.resolveEmbeddedValue(value);
		}
		catch (RuntimeException ex) {
			throw unknownPlaceholder(attribute, value, ex);
		}
		if (text != null && text.contains("${")) {
			throw unknownPlaceholder(attribute, value, null);
		}
		return text;
	}

	private InvalidQueueListenerException unknownPlaceholder(String attribute, String value,
			@Nullable RuntimeException cause) {
		return invalid(attribute, "'" + value + "' has a placeholder for a property that is not set",
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

	/**
	 * Returns a name if a queue, a topic or a group can have it.
	 * @param kind which of these it is to be a name of
	 */
	String checkedName(String attribute, String kind, String name) {
		if (!QueueName.isValid(name)) {
			throw invalid(attribute, "'" + name + "' is not the name of a " + kind,
					"Begin with a letter or a digit, and use up to 128 letters, digits, '.', '_' and '-'");
		}
		return name;
	}

	/**
	 * Creates settings that validate themselves. The message of their exception begins
	 * with the name of the attribute in quotes.
	 * @param settings creates them
	 * @param sources the attributes and where they were declared
	 */
	<T> T checked(Supplier<T> settings, ConfiguredValue<?>... sources) {
		try {
			return settings.get();
		}
		catch (IllegalArgumentException ex) {
			String message = String.valueOf(ex.getMessage());
			String name = message.startsWith("'") ? message.substring(1, message.indexOf('\'', 1)) : null;
			String said = Arrays.stream(sources)
				.filter((each) -> each.name().equals(name))
				.map(ConfiguredValue::attribute)
				.findFirst()
				.orElse(name);
			boolean property = ConfiguredValue.isProperty(said);
			throw invalid(said, property ? message.replace("'" + name + "'", "'" + said + "'") : message,
					property ? "Correct the property" : "Correct the annotation", ex);
		}
	}

	QueueListener annotation() {
		return this.endpoint.annotation();
	}

	InvalidQueueListenerException invalid(String attribute, String problem, String mend) {
		return this.endpoint.invalid(attribute, problem, mend);
	}

	InvalidQueueListenerException invalid(@Nullable String attribute, String problem, String mend,
			@Nullable Throwable cause) {
		return this.endpoint.invalid(attribute, problem, mend, cause);
	}

}
