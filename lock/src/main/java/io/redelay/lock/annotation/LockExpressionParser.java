package io.redelay.lock.annotation;

import io.redelay.template.ExpressionReader;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.expression.ParseException;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Parses the templates and expressions of annotations once, and rejects invalid ones.
 */
final class LockExpressionParser {

	private final ConfigurableBeanFactory beanFactory;

	private final ExpressionReader reader;

	LockExpressionParser(ConfigurableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
		this.reader = new ExpressionReader(beanFactory);
	}

	LockExpressionParser(ConfigurableBeanFactory beanFactory, SpelExpressionParser parser) {
		this.beanFactory = beanFactory;
		this.reader = new ExpressionReader(beanFactory, parser);
	}

	LockEvaluationContext context(LockParameters parameters, LockCall call) {
		return new LockEvaluationContext(this.reader.sharedContext(), parameters, call);
	}

	/**
	 * Parses a template.
	 * @param text the text of the annotation
	 * @param attribute the attribute that holds it
	 * @param place the annotated method
	 * @param parameters the names that it may use
	 */
	LockNameTemplate template(String text, String attribute, MyLockPlace place, LockParameters parameters) {
		String resolved = resolve(text, attribute, place);
		try {
			return new LockNameTemplate(text,
					this.reader.template(resolved, "the lock's name '" + text + "'",
							", so different calls would share one lock",
							new LockExpressionNames(attribute, place, parameters)));
		}
		catch (ParseException | IllegalStateException ex) {
			throw (ex instanceof InvalidMyLockException invalid) ? invalid : place.invalid(attribute,
					"'" + resolved + "' cannot be read: " + ex.getMessage(), "Write names like order:#{id}", ex);
		}
	}

	/**
	 * Parses an expression, with or without the marks of a template around it.
	 */
	SpelExpression expression(String text, String attribute, MyLockPlace place, LockParameters parameters) {
		String resolved = resolve(text, attribute, place).strip();
		String bare = (resolved.startsWith("#{") && resolved.endsWith("}"))
				? resolved.substring(2, resolved.length() - 1) : resolved;
		try {
			return this.reader.expression(bare, new LockExpressionNames(attribute, place, parameters));
		}
		catch (ParseException ex) {
			throw place.invalid(attribute, "'" + resolved + "' cannot be read: " + ex.getMessage(),
					"Write an expression like #{amount > 100}", ex);
		}
	}

	private String resolve(String text, String attribute, MyLockPlace place) {
		String resolved = placeholders(text, attribute, place);
		if (resolved == null || resolved.isBlank()) {
			throw place.invalid(attribute, "'" + text + "' is blank", "Give the lock a name");
		}
		return resolved;
	}

	/**
	 * Resolves the placeholders in the text of an annotation.
	 */
	@Nullable String placeholders(String text, String attribute, MyLockPlace place) {
		@Nullable String resolved;
		try {
			resolved = this.beanFactory.resolveEmbeddedValue(text);
		}
		catch (IllegalArgumentException ex) {
			throw place.invalid(attribute, "a placeholder in '" + text + "' cannot be resolved: " + ex.getMessage(),
					"Define the property, or give it a default like ${name:default}", ex);
		}
		if (resolved != null && resolved.contains("${")) {
			throw place.invalid(attribute, "a placeholder in '" + resolved + "' cannot be resolved",
					"Define the property, or give it a default like ${name:default}");
		}
		return resolved;
	}

}
