package io.redelay.template;

import org.jspecify.annotations.Nullable;

/**
 * A parsed template from which whole numbers are made for messages. A number without an
 * expression is the same for all.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class NumberTemplate {

	private final MessageTemplate template;

	private final int least;

	private final int most;

	NumberTemplate(MessageTemplate template, int least, int most) {
		this.template = template;
		this.least = least;
		this.most = most;
	}

	/**
	 * Makes the number for a message.
	 * @param message the message
	 * @return the number
	 * @throws TemplateException if an expression fails, or its value is not such a number
	 */
	public int number(MessageScope message) {
		return number(this.template.text(message));
	}

	int number(String text) {
		try {
			int number = Integer.parseInt(text);
			if (number >= this.least && number <= this.most) {
				return number;
			}
		}
		catch (NumberFormatException ex) {
			throw refused(text, ex);
		}
		throw refused(text, null);
	}

	private TemplateException refused(String text, @Nullable NumberFormatException cause) {
		return new TemplateException(this.template + " must be a whole number from " + this.least + " to " + this.most
				+ ", and is '" + text + "'", "Write such a number, or a template that gives one", cause);
	}

}
