package io.redelay.embedded.redis;

import java.io.Serial;

/**
 * Thrown when a server answers a command with an error.
 *
 * @since 0.1.0
 */
public final class RedisErrorException extends RuntimeException {

	@Serial
	private static final long serialVersionUID = 1L;

	RedisErrorException(String reply, String command) {
		super("Redis answered '%s' with '%s'".formatted(command, reply));
	}

}
