package io.redelay.template;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * A parsed template. It makes a text in one pass: the value of an expression is text and
 * is not parsed again.
 * <p>
 * Safe for use by many threads.
 *
 * @param <C> the context in which expressions are evaluated
 * @since 0.1.0
 */
public final class TextTemplate<C extends CallContext> {

	private static final Pattern STRAY = Pattern.compile("#[A-Za-z_{]|(?<![\\w.])T\\(|@[A-Za-z_]\\w*\\.\\w+\\(");

	private final String name;

	private final String harm;

	/**
	 * The text before the first expression, between expressions, and after the last one.
	 */
	private final String[] literals;

	private final List<Part<C>> parts;

	private TextTemplate(String name, String harm, List<String> literals, List<Part<C>> parts) {
		this.name = name;
		this.harm = harm;
		this.literals = literals.toArray(String[]::new);
		this.parts = List.copyOf(parts);
	}

	/**
	 * Takes a template apart.
	 * @param whole the template
	 * @param name its name in the messages of exceptions
	 * @param harm the effect of a blank part: the end of such a message
	 * @param names refuse an invalid template
	 * @param part reads an expression of it
	 */
	static <C extends CallContext> TextTemplate<C> of(Expression whole, String name, String harm,
			ExpressionNames<C> names, Function<SpelExpression, Part<C>> part) {
		StringBuilder literal = new StringBuilder();
		List<String> literals = new ArrayList<>();
		List<Part<C>> parts = new ArrayList<>();
		for (Expression each : (whole instanceof CompositeStringExpression all) ? all.getExpressions()
				: new Expression[] { whole }) {
			if (each instanceof SpelExpression expression) {
				literals.add(literal.toString());
				literal.setLength(0);
				parts.add(part.apply(expression));
			}
			else {
				refuseStray(each.getExpressionString(), names);
				literal.append(each.getExpressionString());
			}
		}
		literals.add(literal.toString());
		return new TextTemplate<>(name, harm, literals, parts);
	}

	private static void refuseStray(String literal, ExpressionNames<?> names) {
		Matcher stray = STRAY.matcher(literal);
		if (stray.find()) {
			throw names.invalid(
					"'" + literal + "' looks like an expression, but is outside of #{…} and would be the same for all",
					"Write the expression as #{…}; text with such characters is written as #{'" + stray.group() + "'}");
		}
	}

	/**
	 * Makes the text.
	 * @param context the context in which the expressions are evaluated
	 * @return the text
	 * @throws TemplateException if an expression fails, or its value is {@code null},
	 * blank, or one whose text differs from that of an equal value
	 */
	public String text(C context) {
		String[] literals = this.literals;
		// A StringBuilder would cost more than the evaluation of one or two expressions.
		return switch (this.parts.size()) {
			case 0 -> literals[0];
			case 1 -> literals[0].concat(part(0, context)).concat(literals[1]);
			case 2 -> literals[0] + part(0, context) + literals[1] + part(1, context) + literals[2];
			default -> longText(context);
		};
	}

	boolean isConstant() {
		return this.parts.isEmpty();
	}

	private String longText(C context) {
		StringBuilder text = new StringBuilder(this.literals[0]);
		for (int i = 0; i < this.parts.size(); i++) {
			text.append(part(i, context)).append(this.literals[i + 1]);
		}
		return text.toString();
	}

	/**
	 * Makes a text for people. An expression that fails is shown as such.
	 * @param context the context in which the expressions are evaluated
	 * @return the text
	 */
	public String lenient(C context) {
		StringBuilder text = new StringBuilder(this.literals[0]);
		for (int i = 0; i < this.parts.size(); i++) {
			Part<C> part = this.parts.get(i);
			try {
				text.append(part.value(context));
			}
			catch (Throwable ex) {
				// The exception that the message is for must be thrown in any case.
				text.append(part);
			}
			text.append(this.literals[i + 1]);
		}
		return text.toString();
	}

	private String part(int index, C context) {
		Part<C> part = this.parts.get(index);
		Object value;
		try {
			value = part.value(context);
		}
		catch (EvaluationException ex) {
			throw new TemplateException(place(part) + " cannot be evaluated: " + ex.getMessage(), ex);
		}
		catch (RuntimeException ex) {
			throw new TemplateException(place(part) + " failed: " + ex, ex);
		}
		String text = text(part, value);
		if (isBlank(text)) {
			throw new TemplateException(place(part) + " is " + ((value != null) ? "blank" : "null") + this.harm, null);
		}
		return text;
	}

	/**
	 * The same as {@link String#isBlank()}, which most texts do not need.
	 */
	private static boolean isBlank(String text) {
		if (text.isEmpty()) {
			return true;
		}
		char first = text.charAt(0);
		return (first <= ' ' || first > '~') && text.isBlank();
	}

	private String text(Part<C> part, @Nullable Object value) {
		if (value instanceof Number || (value instanceof String && part.direct() != null)) {
			return value.toString();
		}
		if (value == null || (value instanceof Optional<?> optional && optional.isEmpty())) {
			return "";
		}
		try {
			// An expression may have concatenated objects.
			return (value instanceof String text) ? ValueText.refuseIdentity(text) : ValueText.of(value);
		}
		catch (IllegalArgumentException ex) {
			throw new TemplateException(place(part) + " " + ex.getMessage(), ex);
		}
	}

	private String place(Part<C> part) {
		return "In " + this.name + " the part " + part;
	}

	/**
	 * An expression in a template.
	 *
	 * @param <C> the context in which it is evaluated
	 * @param text its text
	 * @param expression the expression
	 * @param direct gets the value that a caller gave under the name that the expression
	 * consists of, so that it need not be evaluated; or {@code null}
	 */
	record Part<C extends CallContext>(String text, Expression expression,
			@Nullable Function<C, @Nullable Object> direct) {

		private @Nullable Object value(C context) {
			return (this.direct != null) ? this.direct.apply(context) : this.expression.getValue(context);
		}

		@Override
		public String toString() {
			return "#{" + this.text + "}";
		}

	}

}
