package io.redelay.queue.listener;

import org.apache.commons.logging.Log;
import org.jspecify.annotations.Nullable;

/**
 * Puts failures into words and into the log, even those that cannot be printed.
 */
final class FailureText {

	private static final int LONGEST_LINE = 500;

	private FailureText() {
	}

	/**
	 * The message of a failure, or its type if it has none or cannot tell it.
	 */
	static String words(Throwable failure) {
		String message = message(failure);
		return (message != null) ? message : failure.getClass().getName();
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
	 * Warns in one line; the stack is for those who debug.
	 */
	static void warnInOneLine(Log logger, String what, Throwable failure) {
		try {
			logger.warn(what + ": " + line(failure));
			logger.debug(what, failure);
		}
		catch (Throwable ex) {
			warnOfUnprintable(logger, what, failure);
		}
	}

	/**
	 * Warns with the stack.
	 */
	static void warn(Log logger, String what, Throwable failure) {
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
