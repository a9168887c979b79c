package io.redelay.lock;

import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.common.LiteralExpression;

/**
 * A name with expressions in it, read once. Makes names in one pass: what an expression
 * gives is text and is not looked at again.
 */
final class LockNameTemplate {

	/**
	 * Whether objects of a class say what they are, instead of where they are.
	 */
	private static final ClassValue<Boolean> TELLING = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			try {
				return !type.isArray() && type.getMethod("toString").getDeclaringClass() != Object.class;
			}
			catch (NoSuchMethodException ex) {
				return false;
			}
		}

	};

	private final String text;

	private final List<Expression> parts;

	LockNameTemplate(String text, List<Expression> parts) {
		this.text = text;
		this.parts = List.copyOf(parts);
	}

	/**
	 * Makes the name for a call.
	 * @throws LockNameException if a part is missing
	 */
	String name(LockEvaluationContext context) {
		if (this.parts.size() == 1) {
			return part(this.parts.get(0), context);
		}
		StringBuilder name = new StringBuilder();
		for (Expression part : this.parts) {
			name.append(part(part, context));
		}
		return name.toString();
	}

	/**
	 * Makes a text that may lack parts, for messages.
	 */
	String lenient(LockEvaluationContext context) {
		StringBuilder text = new StringBuilder();
		for (Expression part : this.parts) {
			try {
				text.append(part.getValue(context));
			}
			catch (EvaluationException ex) {
				text.append("#{").append(part.getExpressionString()).append('}');
			}
		}
		return text.toString();
	}

	private String part(Expression part, LockEvaluationContext context) {
		if (part instanceof LiteralExpression) {
			return part.getExpressionString();
		}
		Object value;
		try {
			value = part.getValue(context);
		}
		catch (EvaluationException ex) {
			throw new LockNameException(place(part) + " cannot be evaluated: " + ex.getMessage(), ex);
		}
		catch (RuntimeException ex) {
			throw new LockNameException(place(part) + " failed: " + ex, ex);
		}
		String name = text(part, value);
		if (name.isBlank()) {
			throw new LockNameException(place(part) + " is " + ((value != null) ? "blank" : "null")
					+ ", so different calls would share one lock", null);
		}
		return name;
	}

	private String text(Expression part, @Nullable Object value) {
		if (value instanceof String || value instanceof Number) {
			return value.toString();
		}
		if (value == null) {
			return "";
		}
		if (value instanceof Optional<?> optional) {
			return text(part, optional.orElse(null));
		}
		if (!TELLING.get(value.getClass())) {
			throw new LockNameException(place(part) + " is an object of " + value.getClass().getName()
					+ ", which has no toString of its own, so equal calls would not share a lock", null);
		}
		return value.toString();
	}

	private String place(Expression part) {
		return "In the lock's name '" + this.text + "' the part #{" + part.getExpressionString() + "}";
	}

	@Override
	public String toString() {
		return this.text;
	}

}
