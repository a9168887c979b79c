package io.redelay.redisson;

import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisException;
import org.redisson.client.RedisOutOfMemoryException;
import org.redisson.client.RedisReconnectedException;
import org.redisson.client.RedisResponseTimeoutException;
import org.redisson.client.RedisRetryException;
import org.redisson.client.RedisTimeoutException;
import org.redisson.client.WriteRedisConnectionException;

/**
 * Failures of requests, as they are logged and thrown. Redisson quotes the parameters of
 * the command in their messages: the text of a script, and the data of applications.
 *
 * @since 0.1.0
 */
public final class RequestFailures {

	/**
	 * The text that Redisson puts before the parameters, in brackets, of a command.
	 */
	private static final String PARAMETERS = ", params: [";

	/**
	 * The text that Redisson puts before the text of a script that Redis knows.
	 */
	private static final String SCRIPT = ", cached script: ";

	/**
	 * How many causes of a failure are looked at.
	 */
	private static final int MAX_CAUSES = 10;

	private RequestFailures() {
	}

	/**
	 * Returns a failure whose message, and those of its causes, have no parameters of a
	 * command.
	 * @param failure the failure
	 * @return the same failure if there are none, else one of the same kind, with its
	 * stack
	 */
	public static Throwable withoutParameters(Throwable failure) {
		return withoutParameters(failure, MAX_CAUSES);
	}

	private static Throwable withoutParameters(Throwable failure, int causes) {
		if (!(failure instanceof RedisException) || causes == 0) {
			return failure;
		}
		Throwable cause = failure.getCause();
		Throwable shortCause = (cause != null) ? withoutParameters(cause, causes - 1) : null;
		String message = String.valueOf(failure.getMessage());
		String shortMessage = withoutParameters(message);
		if (shortCause == cause && shortMessage.equals(message)) {
			return failure;
		}
		RedisException shortened = ofTheKindOf(failure, shortMessage);
		shortened.setStackTrace(failure.getStackTrace());
		if (shortCause != null) {
			shortened.initCause(shortCause);
		}
		return shortened;
	}

	/**
	 * A script and a parameter may have any text, brackets too: so all up to the last
	 * bracket is removed.
	 */
	private static String withoutParameters(String message) {
		int script = message.indexOf(SCRIPT);
		int start = (script != -1) ? script : message.indexOf(PARAMETERS);
		if (start == -1) {
			return message;
		}
		int end = Math.max(start, message.lastIndexOf(']') + 1);
		return message.substring(0, start) + ((script != -1) ? ")" : "")
				+ (message.contains(PARAMETERS) ? message.substring(end) : "");
	}

	private static RedisException ofTheKindOf(Throwable failure, String message) {
		if (failure instanceof RedisResponseTimeoutException) {
			return new RedisResponseTimeoutException(message);
		}
		if (failure instanceof RedisTimeoutException) {
			return new RedisTimeoutException(message);
		}
		if (failure instanceof WriteRedisConnectionException) {
			return new WriteRedisConnectionException(message);
		}
		if (failure instanceof RedisConnectionException) {
			return new RedisConnectionException(message);
		}
		if (failure instanceof RedisOutOfMemoryException) {
			return new RedisOutOfMemoryException(message);
		}
		if (failure instanceof RedisReconnectedException) {
			return new RedisReconnectedException(message);
		}
		return (failure instanceof RedisRetryException) ? new RedisRetryException(message)
				: new RedisException(message);
	}

}
