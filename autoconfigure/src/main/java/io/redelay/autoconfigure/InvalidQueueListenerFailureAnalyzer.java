package io.redelay.autoconfigure;

import io.redelay.queue.config.InvalidQueueListenerException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports what is wrong with a {@code @QueueListener} and how to mend it.
 */
class InvalidQueueListenerFailureAnalyzer extends AbstractFailureAnalyzer<InvalidQueueListenerException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidQueueListenerException cause) {
		return new FailureAnalysis(cause.getPlace() + " cannot work: " + cause.getProblem() + ".",
				cause.getMend() + ".", cause);
	}

}
