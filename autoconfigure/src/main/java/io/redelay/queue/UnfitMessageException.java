package io.redelay.queue;

import io.redelay.queue.listener.ConversionFailure;
import org.jspecify.annotations.Nullable;

/**
 * A message does not fit its handler, and never will: its payload cannot be converted, or
 * is not valid. Its message and its causes must not show what the payload holds.
 *
 * @since 0.1.0
 */
public class UnfitMessageException extends RuntimeException {

	public UnfitMessageException(@Nullable String message, @Nullable Throwable cause) {
		super(message, cause);
	}

	/**
	 * Says what does not fit, without what is in the payload: failures of Jackson quote
	 * it, and those of spring-messaging have the whole message.
	 * @param what what was tried
	 * @param failure why it does not fit
	 * @return the exception
	 */
	public static UnfitMessageException of(String what, Throwable failure) {
		return (failure instanceof UnfitMessageException unfit) ? unfit : new UnfitMessageException(
				what + ": " + ConversionFailure.words(failure), ConversionFailure.cause(failure));
	}

}
