package io.redelay.autoconfigure;

/**
 * A client could not be created, because Redis was not reached or refused it.
 *
 * @since 0.1.0
 */
class RedisUnavailableException extends RuntimeException {

	private final RedisLocation location;

	RedisUnavailableException(RedisLocation location, Throwable cause) {
		super("Redis at %s is not available".formatted(location), cause);
		this.location = location;
	}

	/**
	 * Returns where the client looked for Redis.
	 * @return the location
	 */
	public RedisLocation getLocation() {
		return this.location;
	}

}
