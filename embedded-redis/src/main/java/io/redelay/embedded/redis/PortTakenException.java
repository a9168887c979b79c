package io.redelay.embedded.redis;

import java.io.IOException;
import java.io.Serial;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when something else listens on the port of the {@linkplain SharedRedisServer
 * shared server}.
 *
 * @since 0.1.0
 */
public final class PortTakenException extends RuntimeException {

	@Serial
	private static final long serialVersionUID = 1L;

	private final int port;

	PortTakenException(int port, String found, @Nullable Throwable cause) {
		super("Port %d is taken by %s, which was not started by Redelay".formatted(port, found), cause);
		this.port = port;
	}

	/**
	 * Whether a Redis server reported it.
	 */
	boolean isCertain() {
		return !(getCause() instanceof IOException);
	}

	/**
	 * Returns the port that is taken.
	 * @return the port
	 */
	public int getPort() {
		return this.port;
	}

}
