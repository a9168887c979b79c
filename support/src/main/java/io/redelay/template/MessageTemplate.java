package io.redelay.template;

import org.springframework.expression.spel.support.StandardEvaluationContext;

/**
 * A parsed template from which texts are made for messages, such as keys.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class MessageTemplate {

	private final StandardEvaluationContext shared;

	private final TextTemplate<MessageContext> template;

	private final String place;

	MessageTemplate(StandardEvaluationContext shared, TextTemplate<MessageContext> template, String place) {
		this.place = place;
		this.shared = shared;
		this.template = template;
	}

	/**
	 * Makes the text for a message.
	 * @param message the message
	 * @return the text
	 * @throws TemplateException if an expression fails, or its value is {@code null},
	 * blank, or one whose text differs from that of an equal value
	 */
	public String text(MessageScope message) {
		return this.template.text(new MessageContext(this.shared, message));
	}

	/**
	 * Whether it gives the same text for all messages, for want of an expression.
	 * @return whether it does
	 */
	public boolean isConstant() {
		return this.template.isConstant();
	}

	/**
	 * Returns its place and its text.
	 */
	@Override
	public String toString() {
		return this.place;
	}

}
