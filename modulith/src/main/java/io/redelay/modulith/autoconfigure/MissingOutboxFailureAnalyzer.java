package io.redelay.modulith.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports what to do if events are to go through an outbox that is not there.
 */
class MissingOutboxFailureAnalyzer extends AbstractFailureAnalyzer<MissingOutboxException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, MissingOutboxException cause) {
		return new FailureAnalysis(cause.getMessage() + ".",
				"Add the dependency redelay-outbox and leave redelay.outbox.enabled as it is, set the mode to "
						+ "'module-listener', or set redelay.modulith.enabled to false.",
				cause);
	}

}
