package io.redelay.embedded.redis.autoconfigure;

import io.redelay.embedded.redis.PortTakenException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports what to do when something else listens on the port of the embedded Redis.
 */
final class PortTakenFailureAnalyzer extends AbstractFailureAnalyzer<PortTakenException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, PortTakenException cause) {
		return new FailureAnalysis(
				"The embedded Redis could not be started. %s, and was left alone.".formatted(cause.getMessage()),
				"""
						Do one of these:
						- To use a Redis of your own, say where it is: set spring.data.redis.host, spring.data.redis.port or spring.data.redis.url.
						- To have the embedded Redis on another port than %d, set redelay.embedded-redis.port."""
					.formatted(cause.getPort()),
				cause);
	}

}
