package io.redelay.queue.store.redis;

import java.io.IOException;
import java.net.ConnectException;

import io.redelay.queue.store.StoreException;
import org.redisson.RedissonShutdownException;
import org.redisson.client.RedisAuthRequiredException;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisException;
import org.redisson.client.RedisOutOfMemoryException;
import org.redisson.client.RedisReconnectedException;
import org.redisson.client.RedisTimeoutException;
import org.redisson.client.RedisWrongPasswordException;
import org.redisson.client.WriteRedisConnectionException;

import org.springframework.core.NestedExceptionUtils;

/**
 * Tells apart the failures of requests: whether sending again may help, and whether the
 * request certainly had no effect.
 * <p>
 * What the client fails with while a connection is lost has any type, that of a defect of
 * its own as well. So both ask what is known of a failure, and take all that is not known
 * for one that passes and leaves open what happened.
 */
final class RedisFailures {

	/**
	 * What the client writes behind an error that Redis replied with.
	 */
	private static final String BEHIND_REPLY = ". channel: ";

	private RedisFailures() {
	}

	/**
	 * Whether it may help to send the request again: always, unless Redis refused it, or
	 * the client is closed.
	 */
	static boolean isPassing(Throwable failure) {
		return !isRefusal(failure) && !(failure instanceof RedissonShutdownException)
				&& !(failure instanceof StoreException);
	}

	/**
	 * Whether Redis refused the request, and would again.
	 */
	static boolean isRefusal(Throwable failure) {
		return failure instanceof RedisOutOfMemoryException || failure instanceof RedisAuthRequiredException
				|| failure instanceof RedisWrongPasswordException
				|| (isOtherReply(failure) && !isPassingInsideScript(failure));
	}

	/**
	 * Whether it is an error that Redis replied with and for which the client has no
	 * type. It gives failures of its own the same type.
	 */
	private static boolean isOtherReply(Throwable failure) {
		String message = failure.getMessage();
		return failure.getClass() == RedisException.class && message != null && message.contains(BEHIND_REPLY);
	}

	/**
	 * Redis before 7.0 wraps what a command of a script was told.
	 */
	private static boolean isPassingInsideScript(Throwable failure) {
		String message = String.valueOf(failure.getMessage());
		return message.contains(": -READONLY ") || message.contains(": -NOREPLICAS ");
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
		return failure instanceof StoreException || (failure instanceof RedisException
				&& !(failure instanceof WriteRedisConnectionException)
				&& !(failure instanceof RedisReconnectedException) && !(failure instanceof RedissonShutdownException));
	}

	/**
	 * The client says so of some connections that it does not get.
	 */
	private static boolean isIoFailure(Throwable failure) {
		return failure instanceof IOException || (failure instanceof RedisException
				&& NestedExceptionUtils.getMostSpecificCause(failure) instanceof IOException);
	}

}
