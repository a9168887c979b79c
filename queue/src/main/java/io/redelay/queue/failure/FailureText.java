package io.redelay.queue.failure;

import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Describes and logs failures. Survives those whose {@code getMessage()} or
 * {@code printStackTrace()} throws.
 *
 * @since 0.1.0
 */
public final class FailureText {

	private static final int LONGEST_LINE = 500;

	private FailureText() {
	}

	/**
	 * Describes a failure in a few words.
	 * @param failure the failure
	 * @return its message, or the name of its class if it has none or
	 * {@code getMessage()} throws
	 */
	public static String describe(Throwable failure) {
		String message = message(failure);
		return (message != null) ? message : failure.getClass().getName();
	}

	/**
	 * Returns how often something happened, in words.
	 */
	static String times(int count) {
		return (count == 1) ? "once" : count + " times";
	}

	private static @Nullable String message(Throwable failure) {
		try {
			return failure.getMessage();
		}
		catch (Throwable ex) {
			return null;
		}
	}

	/**
	 * Logs a warning in one line, and the stack at the level {@code DEBUG}.
	 * @param logger the log
	 * @param what the text before the failure
	 * @param failure the failure
	 */
	public static void warnInOneLine(Log logger, String what, Throwable failure) {
		try {
			logger.warn(what + ": " + line(failure));
			logger.debug(what, failure);
		}
		catch (Throwable ex) {
			warnOfUnprintable(logger, what, failure);
		}
	}

	/**
	 * Logs a warning with the stack.
	 * @param logger the log
	 * @param what the text before the failure
	 * @param failure the failure
	 */
	public static void warn(Log logger, String what, Throwable failure) {
		try {
			logger.warn(what, failure);
		}
		catch (Throwable ex) {
			warnOfUnprintable(logger, what, failure);
		}
	}

	private static void warnOfUnprintable(Log logger, String what, Throwable failure) {
		logger.warn(what + ": a " + failure.getClass().getName() + " that cannot be printed");
	}

	private static String line(Throwable failure) {
		String message = message(failure);
		String name = failure.getClass().getName();
		if (message == null) {
			return name;
		}
		String cut = (message.length() > LONGEST_LINE) ? message.substring(0, LONGEST_LINE) + "…" : message;
		return name + ": " + cut.replaceAll("\\s*\\R\\s*", " ");
	}

}
