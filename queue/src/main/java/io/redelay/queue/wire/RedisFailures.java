package io.redelay.queue.wire;

import java.io.IOException;
import java.net.ConnectException;
import java.util.Set;

import io.redelay.queue.request.StoreException;
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
 * Classifies the failures of requests: whether a resend may help, and whether the request
 * certainly had no effect.
 * <p>
 * While a connection is lost, the failure of the client may have any type, even that of a
 * defect of its own. So only known types count as lasting or as without effect; any other
 * failure counts as passing, with an unknown outcome.
 */
final class RedisFailures {

	/**
	 * The text that the client appends to an error that Redis replied with.
	 */
	private static final String BEHIND_REPLY = ". channel: ";

	/**
	 * The first words of errors with which Redis refuses a script before it runs, or the
	 * first write of one.
	 */
	private static final Set<String> NOTHING_WRITTEN = Set.of("-NOSCRIPT", "-MOVED", "-ASK", "-TRYAGAIN",
			"-CLUSTERDOWN", "-LOADING", "-MASTERDOWN", "-BUSY", "-NOAUTH", "-READONLY", "-NOREPLICAS", "-MISCONF",
			"-OOM", "-DENIED");

	/**
	 * What Redis writes on a connection that it does not take, before any request.
	 */
	private static final String TOO_MANY_CLIENTS = "-ERR max number of clients";

	private RedisFailures() {
	}

	/**
	 * Returns whether a script that failed with an error has certainly written nothing,
	 * so that it may be run again by other means.
	 * @param line the error as Redis writes it
	 */
	static boolean hasWrittenNothing(String line) {
		return NOTHING_WRITTEN.contains(line.split(" ", 2)[0]) || line.startsWith(TOO_MANY_CLIENTS);
	}

	/**
	 * Returns the failure of a script as the client throws it.
	 * @param line the error as Redis writes it
	 */
	static RedisException replied(String line) {
		return new RedisException(line.substring(1) + BEHIND_REPLY + "that of the calling thread");
	}

	/**
	 * Returns whether it may help to send the request again: always, unless Redis refused
	 * it, or the client is closed.
	 */
	static boolean isPassing(Throwable failure) {
		return !isRefusal(failure) && !(failure instanceof RedissonShutdownException)
				&& !(failure instanceof StoreException);
	}

	/**
	 * Returns whether Redis refused the request, and would again.
	 */
	static boolean isRefusal(Throwable failure) {
		return failure instanceof RedisOutOfMemoryException || failure instanceof RedisAuthRequiredException
				|| failure instanceof RedisWrongPasswordException
				|| (isOtherReply(failure) && !isPassingInsideScript(failure));
	}

	/**
	 * Returns whether it is an error that Redis replied with and for which the client has
	 * no type. It gives failures of its own the same type.
	 */
	private static boolean isOtherReply(Throwable failure) {
		String message = failure.getMessage();
		return failure.getClass() == RedisException.class && message != null && message.contains(BEHIND_REPLY);
	}

	/**
	 * Redis before 7.0 wraps the error of a command inside a script.
	 */
	private static boolean isPassingInsideScript(Throwable failure) {
		String message = String.valueOf(failure.getMessage());
		return message.contains(": -READONLY ") || message.contains(": -NOREPLICAS ");
	}

	/**
	 * Returns whether the request certainly had no effect: it never left, or Redis
	 * refused it.
	 */
	static boolean isCertain(Throwable failure) {
		if (failure instanceof RedisTimeoutException) {
			// The other timeouts do not show whether the request was written.
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
	 * The client wraps the failure if it does not get some connections.
	 */
	private static boolean isIoFailure(Throwable failure) {
		return failure instanceof IOException || (failure instanceof RedisException
				&& NestedExceptionUtils.getMostSpecificCause(failure) instanceof IOException);
	}

}
