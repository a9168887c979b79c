package io.redelay.autoconfigure;

import io.redelay.lock.annotation.InvalidMyLockException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports what is wrong with a {@code @MyLock} and how to mend it.
 */
class InvalidMyLockFailureAnalyzer extends AbstractFailureAnalyzer<InvalidMyLockException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidMyLockException cause) {
		return new FailureAnalysis(cause.getPlace() + " cannot work: " + cause.getProblem() + ".",
				cause.getMend() + ".", cause);
	}

}
