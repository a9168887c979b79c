package io.redelay.outbox.autoconfigure;

import io.redelay.outbox.OutboxException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports why the outbox cannot be used and how to mend it.
 */
class OutboxFailureAnalyzer extends AbstractFailureAnalyzer<OutboxException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, OutboxException cause) {
		return new FailureAnalysis(cause.getProblem() + ".", cause.getMend() + ".", cause);
	}

}
