package io.redelay.queue.listener;

import org.apache.commons.logging.Log;

/**
 * Puts failures into words and into the log, even those that cannot be printed.
 */
final class FailureText {

	private static final int LONGEST_LINE = 500;

	private FailureText() {
	}

	/**
	 * The message of a failure, or its type if it has none.
	 */
	static String words(Throwable failure) {
		return (failure.getMessage() != null) ? failure.getMessage() : failure.getClass().getName();
	}

	/**
	 * Warns in one line; the stack is for those who debug.
	 */
	static void warnInOneLine(Log logger, String what, Throwable failure) {
		try {
			logger.warn(what + ": " + line(failure));
			logger.debug(what, failure);
		}
		catch (RuntimeException ex) {
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
		catch (RuntimeException ex) {
			warnOfUnprintable(logger, what, failure);
		}
	}

	private static void warnOfUnprintable(Log logger, String what, Throwable failure) {
		logger.warn(what + ": a " + failure.getClass().getName() + " that cannot be printed");
	}

	private static String line(Throwable failure) {
		String message = failure.getMessage();
		String name = failure.getClass().getName();
		if (message == null) {
			return name;
		}
		String cut = (message.length() > LONGEST_LINE) ? message.substring(0, LONGEST_LINE) + "…" : message;
		return name + ": " + cut.replaceAll("\\s*\\R\\s*", " ");
	}

}
