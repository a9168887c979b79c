package io.redelay.queue.store.redis;

import java.io.IOException;
import java.net.ConnectException;

import org.redisson.RedissonShutdownException;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisException;
import org.redisson.client.RedisNoScriptException;
import org.redisson.client.RedisNodeNotFoundException;
import org.redisson.client.RedisReadonlyException;
import org.redisson.client.RedisReconnectedException;
import org.redisson.client.RedisRedirectException;
import org.redisson.client.RedisRetryException;
import org.redisson.client.RedisTimeoutException;
import org.redisson.client.WriteRedisConnectionException;

import org.springframework.core.NestedExceptionUtils;

/**
 * Tells apart the failures of requests: whether sending again may help, and whether the
 * request certainly had no effect.
 */
final class RedisFailures {

	private RedisFailures() {
	}

	/**
	 * Whether it may help to send the request again.
	 */
	static boolean isPassing(Throwable failure) {
		return failure instanceof RedisTimeoutException || failure instanceof RedisConnectionException
				|| failure instanceof RedisReconnectedException || failure instanceof RedisRetryException
				|| failure instanceof RedisReadonlyException || failure instanceof RedisRedirectException
				|| failure instanceof RedisNoScriptException || failure instanceof RedisNodeNotFoundException
				|| isIoFailure(failure) || isPassingInsideScript(failure);
	}

	/**
	 * The client says so of some connections that it does not get.
	 */
	private static boolean isIoFailure(Throwable failure) {
		return failure instanceof IOException || (failure instanceof RedisException
				&& NestedExceptionUtils.getMostSpecificCause(failure) instanceof IOException);
	}

	/**
	 * Redis before 7.0 wraps what a command of a script was told.
	 */
	private static boolean isPassingInsideScript(Throwable failure) {
		String message = failure.getMessage();
		return failure instanceof RedisException && message != null
				&& (message.contains(": -READONLY ") || message.contains(": -NOREPLICAS "));
	}

	/**
	 * Whether the request certainly had no effect: it never left, or Redis refused it.
	 */
	static boolean isCertain(Throwable failure) {
		if (failure instanceof RedisTimeoutException) {
			// The other timeouts leave it open whether the request was written.
			String message = failure.getMessage();
			return message != null && message.startsWith("Unable to acquire connection");
		}
		if (isIoFailure(failure) && !(failure instanceof RedisConnectionException)) {
			return NestedExceptionUtils.getMostSpecificCause(failure) instanceof ConnectException;
		}
		// A channel that is closed fails what was written to it as if it had not been.
		return failure instanceof RedisException && !(failure instanceof WriteRedisConnectionException)
				&& !(failure instanceof RedisReconnectedException) && !(failure instanceof RedissonShutdownException);
	}

}
