package io.redelay.redisson;

import java.io.IOException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisException;
import org.redisson.client.RedisResponseTimeoutException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RequestFailures}.
 */
class RequestFailuresTests {

	@ParameterizedTest
	@ValueSource(strings = { "ERR x. channel: [id: 0x1] command: (EVAL), params: [return 1, 2]",
			"ERR x. channel: [id: 0x1] command: (EVAL), params: []",
			"ERR x. channel: [id: 0x1] command: (EVAL), params: [redis.call('get', KEYS[1])]",
			"ERR x. channel: [id: 0x1] command: (EVAL, cached script: f(a[1])\nend...), params: [2, f(x)]",
			"ERR x. channel: [id: 0x1] command: (EVAL, cached script: f(a[1])\nend...)",
			"ERR x. channel: [id: 0x1] command: (EVAL)" })
	void theParametersAreLeftOut(String message) {
		Throwable failure = RequestFailures.withoutParameters(new RedisException(message));
		assertThat(failure).isExactlyInstanceOf(RedisException.class)
			.hasMessage("ERR x. channel: [id: 0x1] command: (EVAL)");
	}

	@Test
	void whatStandsBehindThemIsKept() {
		assertThat(RequestFailures.withoutParameters(new RedisResponseTimeoutException(
				"No answer, command: (EVAL), params: [a, b] Check connection with Redis node: here")))
			.isExactlyInstanceOf(RedisResponseTimeoutException.class)
			.hasMessage("No answer, command: (EVAL) Check connection with Redis node: here");
	}

	@Test
	void theCauseAndTheStackAreKept() {
		IOException cause = new IOException("cut, params: [of somebody else]");
		RedisConnectionException failure = new RedisConnectionException("Not sent, params: [a]", cause);
		Throwable shortened = RequestFailures.withoutParameters(failure);
		assertThat(shortened).isExactlyInstanceOf(RedisConnectionException.class)
			.hasMessage("Not sent")
			.hasCause(cause);
		assertThat(shortened.getStackTrace()).isEqualTo(failure.getStackTrace());
	}

	@Test
	void aCauseHasNoneEither() {
		RedisException failure = new RedisException(new RedisException("ERR x, params: [a]"));
		assertThat(RequestFailures.withoutParameters(failure)).hasMessage("org.redisson.client.RedisException: ERR x")
			.hasRootCauseMessage("ERR x");
		assertThat(RequestFailures.withoutParameters(new RedisException("failed", failure.getCause())))
			.hasMessage("failed")
			.hasRootCauseMessage("ERR x");
	}

	@Test
	void whatHasNoneIsLeftAsItIs() {
		RedisException redis = new RedisException("ERR x", new IOException("y"));
		assertThat(RequestFailures.withoutParameters(redis)).isSameAs(redis);
		IllegalStateException other = new IllegalStateException("x, params: [a]");
		assertThat(RequestFailures.withoutParameters(other)).isSameAs(other);
	}

}
