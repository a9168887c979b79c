package io.redelay.console;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Thrown if the console cannot start with its properties. It quotes no value of a
 * property, which may have a password.
 */
class ConsoleSettingsException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final String action;

	/**
	 * Creates the exception.
	 * @param problem the problem, as a sentence
	 * @param action what to do, as a sentence
	 */
	ConsoleSettingsException(String problem, String action) {
		super(problem);
		this.action = action;
	}

	/**
	 * Shows both sentences in place of a stack trace.
	 */
	static final class Analyzer extends AbstractFailureAnalyzer<ConsoleSettingsException> {

		@Override
		protected FailureAnalysis analyze(Throwable rootFailure, ConsoleSettingsException cause) {
			return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.action, cause);
		}

	}

}
