package io.redelay.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports what is wrong with a property and how to mend it.
 */
class InvalidQueuePropertyFailureAnalyzer extends AbstractFailureAnalyzer<InvalidQueuePropertyException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidQueuePropertyException cause) {
		return new FailureAnalysis(cause.getProblem() + ".", cause.getMend() + ".", cause);
	}

}
