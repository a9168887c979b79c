package io.redelay.embedded.redis.autoconfigure;

import io.redelay.embedded.redis.RedisStartException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Reports what to do when the embedded Redis does not start.
 */
final class RedisStartFailureAnalyzer extends AbstractFailureAnalyzer<RedisStartException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, RedisStartException cause) {
		return new FailureAnalysis("The embedded Redis could not be started: %s".formatted(cause.getMessage()),
				"""
						Mend what the log says, or do without the embedded Redis:
						- To use a Redis of your own, set spring.data.redis.host, spring.data.redis.port or spring.data.redis.url.
						- If its data cannot be read, delete it, or set redelay.embedded-redis.directory to another directory.
						- If it needs more time, set redelay.embedded-redis.startup-timeout.""",
				cause);
	}

}
