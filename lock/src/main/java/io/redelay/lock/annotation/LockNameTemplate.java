package io.redelay.lock.annotation;

import io.redelay.lock.LockNameException;
import io.redelay.template.TemplateException;
import io.redelay.template.TextTemplate;

/**
 * A parsed template of a name.
 *
 * @param text the text in the annotation
 * @param template makes the names
 */
record LockNameTemplate(String text, TextTemplate<LockEvaluationContext> template) {

	/**
	 * Makes the name for a call.
	 * @throws LockNameException if the value of an expression is {@code null} or blank
	 */
	String name(LockEvaluationContext context) {
		try {
			return this.template.text(context);
		}
		catch (TemplateException ex) {
			throw new LockNameException(String.valueOf(ex.getMessage()), ex.getCause());
		}
	}

	/**
	 * Makes the text of a message. An expression that fails is shown as such.
	 */
	String lenient(LockEvaluationContext context) {
		return this.template.lenient(context);
	}

	@Override
	public String toString() {
		return this.text;
	}

}
