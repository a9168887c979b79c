package io.redelay.autoconfigure;

import java.util.stream.Collectors;

import io.redelay.guard.Finding;
import io.redelay.guard.UnsuitableRedisException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports what is wrong with the Redis server and how to mend it.
 */
class UnsuitableRedisFailureAnalyzer extends AbstractFailureAnalyzer<UnsuitableRedisException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, UnsuitableRedisException cause) {
		String nevertheless = (cause instanceof WireCheck.RefusedException) ? ""
				: " To start nevertheless, set the property of 'redelay.guard' to warn.";
		return new FailureAnalysis(cause.getFindings().stream().map(Finding::problem).collect(Collectors.joining(" ")),
				cause.getFindings().stream().map(Finding::action).collect(Collectors.joining(" ")) + nevertheless,
				cause);
	}

}
