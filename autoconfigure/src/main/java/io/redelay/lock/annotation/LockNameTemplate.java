package io.redelay.lock.annotation;

import java.util.List;
import java.util.Optional;

import io.redelay.lock.LockNameException;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.util.Assert;

/**
 * A parsed template of a name. It makes a name in one pass: the value of an expression is
 * text and is not parsed again.
 */
final class LockNameTemplate {

	private final String text;

	/**
	 * The text before the first expression, between expressions, and after the last one.
	 */
	private final String[] literals;

	private final Part[] parts;

	LockNameTemplate(String text, List<String> literals, List<Part> parts) {
		Assert.isTrue(literals.size() == parts.size() + 1, "'literals' must stand around the parts");
		this.text = text;
		this.literals = literals.toArray(String[]::new);
		this.parts = parts.toArray(Part[]::new);
	}

	/**
	 * Makes the name for a call.
	 * @throws LockNameException if the value of an expression is {@code null} or blank
	 */
	String name(LockEvaluationContext context) {
		String[] literals = this.literals;
		// A StringBuilder would cost more than the evaluation of one or two expressions.
		return switch (this.parts.length) {
			case 0 -> literals[0];
			case 1 -> literals[0].concat(part(0, context)).concat(literals[1]);
			case 2 -> literals[0] + part(0, context) + literals[1] + part(1, context) + literals[2];
			default -> longName(context);
		};
	}

	private String longName(LockEvaluationContext context) {
		StringBuilder name = new StringBuilder(this.literals[0]);
		for (int i = 0; i < this.parts.length; i++) {
			name.append(part(i, context)).append(this.literals[i + 1]);
		}
		return name.toString();
	}

	/**
	 * Makes the text of a message. An expression that fails is shown as such.
	 */
	String lenient(LockEvaluationContext context) {
		StringBuilder text = new StringBuilder(this.literals[0]);
		for (int i = 0; i < this.parts.length; i++) {
			Part part = this.parts[i];
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

	private String part(int index, LockEvaluationContext context) {
		Part part = this.parts[index];
		Object value;
		try {
			value = part.value(context);
		}
		catch (EvaluationException ex) {
			throw new LockNameException(place(part) + " cannot be evaluated: " + ex.getMessage(), ex);
		}
		catch (RuntimeException ex) {
			throw new LockNameException(place(part) + " failed: " + ex, ex);
		}
		String name = text(part, value);
		if (isBlank(name)) {
			throw new LockNameException(place(part) + " is " + ((value != null) ? "blank" : "null")
					+ ", so different calls would share one lock", null);
		}
		return name;
	}

	/**
	 * The same as {@link String#isBlank()}, which most names need not be asked.
	 */
	private static boolean isBlank(String name) {
		if (name.isEmpty()) {
			return true;
		}
		char first = name.charAt(0);
		return (first <= ' ' || first > '~') && name.isBlank();
	}

	private String text(Part part, @Nullable Object value) {
		if (value instanceof String name) {
			return (part.parameter() != null) ? name : concatenated(part, name);
		}
		if (value instanceof Number) {
			return value.toString();
		}
		if (value == null || (value instanceof Optional<?> optional && optional.isEmpty())) {
			return "";
		}
		try {
			return LockNameText.of(value);
		}
		catch (IllegalArgumentException ex) {
			throw new LockNameException(place(part) + " " + ex.getMessage(), ex);
		}
	}

	/**
	 * Checks the text that an expression has concatenated, perhaps of objects.
	 */
	private String concatenated(Part part, String text) {
		try {
			return LockNameText.refuseIdentity(text);
		}
		catch (IllegalArgumentException ex) {
			throw new LockNameException(place(part) + " " + ex.getMessage(), ex);
		}
	}

	private String place(Part part) {
		return "In the lock's name '" + this.text + "' the part " + part;
	}

	@Override
	public String toString() {
		return this.text;
	}

	/**
	 * An expression in a template.
	 *
	 * @param expression the expression
	 * @param parameter the position of the parameter, if the expression is only that, so
	 * that it need not be evaluated
	 */
	record Part(Expression expression, @Nullable Integer parameter) {

		private @Nullable Object value(LockEvaluationContext context) {
			return (this.parameter != null) ? context.argument(this.parameter) : this.expression.getValue(context);
		}

		@Override
		public String toString() {
			return "#{" + this.expression.getExpressionString() + "}";
		}

	}

}
