package io.redelay.template;

import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.support.MapAccessor;

/**
 * Parses templates from which texts are made for messages, such as
 * {@code "#{payload.customerId}"} or {@code "tenant-#{headers['tenant']}"}. Expressions
 * may use {@code payload}, {@code headers}, {@code queue} and {@code id}, beans as
 * {@code @name} and types as {@code T(a.Type)}. The value of a payload or a header is
 * text and is never evaluated.
 *
 * @since 0.1.0
 */
public final class MessageTemplates {

	private static final List<String> NAMES = List.of("payload", "headers", "queue", "id");

	private final ExpressionReader reader;

	/**
	 * Creates a parser.
	 * @param beans the beans that expressions may refer to
	 */
	public MessageTemplates(ConfigurableBeanFactory beans) {
		this.reader = new ExpressionReader(beans);
		this.reader.sharedContext().addPropertyAccessor(new MapAccessor());
	}

	/**
	 * Parses a template.
	 * @param place where it is written, the beginning of the messages of exceptions, such
	 * as the quoted name of a property
	 * @param text the template
	 * @return the template
	 * @throws TemplateException if it is invalid; the message names the place and the
	 * remedy
	 */
	public MessageTemplate parse(String place, String text) {
		Names names = new Names(place, text);
		if (text.isBlank()) {
			throw names.invalid("it is blank", "Write a template like #{payload.customerId}, or leave it out");
		}
		if (text.contains("${")) {
			throw names.invalid("it has a placeholder for a property that is not set",
					"Set the property, or give a default as in ${name:default}");
		}
		try {
			TextTemplate<MessageContext> template = this.reader.template(text, place + ", '" + text + "',",
					", so different messages would share one key", names);
			return new MessageTemplate(this.reader.sharedContext(), template, place + ", '" + text + "',");
		}
		catch (ParseException | IllegalStateException ex) {
			throw names.invalid("it cannot be read: " + ex.getMessage(), "Write a template like #{payload.customerId}",
					ex);
		}
	}

	/**
	 * Parses a template of a whole number, or a number.
	 * @param place where it is written, as for {@link #parse}
	 * @param text the template
	 * @param least the smallest number
	 * @param most the largest number
	 * @return the template
	 * @throws TemplateException if it is invalid
	 */
	public NumberTemplate parseNumber(String place, String text, int least, int most) {
		MessageTemplate template = parse(place, text);
		NumberTemplate number = new NumberTemplate(template, least, most);
		if (template.isConstant()) {
			number.number(text);
		}
		return number;
	}

	/**
	 * The names that expressions on messages may use.
	 *
	 * @param place where the template is written
	 * @param text the template
	 */
	private record Names(String place, String text) implements ExpressionNames<MessageContext> {

		@Override
		public boolean isGiven(String name) {
			return false;
		}

		@Override
		public boolean isRoot(String name) {
			return NAMES.contains(name);
		}

		@Override
		public @Nullable Function<MessageContext, @Nullable Object> direct(String name) {
			return (context) -> context.lookupVariable(name);
		}

		@Override
		public RuntimeException unknown(String expression, String name) {
			return invalid("in #{" + expression + "} " + name + " is none of " + NAMES,
					"A property of the payload is written as #{payload.name}, a header as #{headers['name']}");
		}

		@Override
		public RuntimeException invalid(String problem, String mend) {
			return invalid(problem, mend, null);
		}

		TemplateException invalid(String problem, String mend, @Nullable Throwable cause) {
			return new TemplateException(this.place + ", '" + this.text + "', cannot work: " + problem, mend, cause);
		}

	}

}
