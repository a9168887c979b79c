package io.redelay.template;

import org.jspecify.annotations.Nullable;

/**
 * A template cannot be read, or gives no text. The message names the template's place and
 * the part that is to blame.
 *
 * @since 0.1.0
 */
public class TemplateException extends RuntimeException {

	/**
	 * Creates an exception.
	 * @param message where it is and what is wrong
	 * @param cause why, if something was thrown
	 */
	public TemplateException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

}
