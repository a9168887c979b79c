package io.redelay.autoconfigure;

import io.redelay.queue.recurring.InvalidRecurringMessageException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports what is wrong with a recurring message and how to mend it.
 */
class InvalidRecurringMessageFailureAnalyzer extends AbstractFailureAnalyzer<InvalidRecurringMessageException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidRecurringMessageException cause) {
		return new FailureAnalysis(cause.getPlace() + " cannot work: " + cause.getProblem() + ".",
				cause.getMend() + ".", cause);
	}

}
