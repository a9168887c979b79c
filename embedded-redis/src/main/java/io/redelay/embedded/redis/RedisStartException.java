package io.redelay.embedded.redis;

import java.io.Serial;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when a server does not start; its message ends with the log of the server.
 *
 * @since 0.1.0
 */
public final class RedisStartException extends RuntimeException {

	@Serial
	private static final long serialVersionUID = 1L;

	private final String log;

	RedisStartException(String message, String log) {
		this(message, log, null);
	}

	RedisStartException(String message, String log, @Nullable Throwable cause) {
		super(log.isBlank() ? message : "%s. It logged:%n%s".formatted(message, log.strip()), cause);
		this.log = log;
	}

	/**
	 * Returns the end of the log of the server, empty if it never got so far.
	 * @return the end of the log
	 */
	public String getLog() {
		return this.log;
	}

	boolean isPortTaken() {
		return this.log.contains("Failed listening on port") || this.log.contains("Address already in use");
	}

}
