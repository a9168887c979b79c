package io.redelay.embedded.redis.autoconfigure;

import java.time.Duration;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.embedded.redis.SharedRedisServer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/**
 * Connection details of an embedded Redis, which runs as long as this bean lives: beans
 * that use it are destroyed before.
 *
 * @param getStandalone where it is
 * @param end ends it
 */
record EmbeddedRedisConnectionDetails(Standalone getStandalone,
		Runnable end) implements DataRedisConnectionDetails, AutoCloseable {

	private static final Log logger = LogFactory.getLog(EmbeddedRedisConnectionDetails.class);

	/**
	 * Without its Redis a context closes only after half a minute of unanswered requests.
	 */
	private static final Duration CONTEXT_CLOSE = Duration.ofSeconds(30);

	static EmbeddedRedisConnectionDetails start(EmbeddedRedisProperties properties, int database) {
		return (properties.port() != 0) ? share(properties, database) : own(properties, database);
	}

	private static EmbeddedRedisConnectionDetails share(EmbeddedRedisProperties properties, int database) {
		SharedRedisServer server = SharedRedisServer.join(properties.port(), properties.directoryOrDefault(),
				properties.startupTimeout());
		warn(server.isJoined() ? "Joined" : "Started", server.port(),
				"keeps its data in '%s'".formatted(server.directory()));
		return new EmbeddedRedisConnectionDetails(Standalone.of(server.host(), server.port(), database), server::close);
	}

	private static EmbeddedRedisConnectionDetails own(EmbeddedRedisProperties properties, int database) {
		RedisServer server = RedisServer.builder()
			.startupTimeout(properties.startupTimeout())
			.exitDelay(CONTEXT_CLOSE)
			.start();
		warn("Started", server.port(), "loses its data at the end");
		return new EmbeddedRedisConnectionDetails(Standalone.of(server.host(), server.port(), database), server::close);
	}

	private static void warn(String what, int port, String data) {
		logger.warn(
				"%s an embedded Redis on port %d, as no spring.data.redis location is configured. It is for development only, and %s"
					.formatted(what, port, data));
	}

	@Override
	public void close() {
		this.end.run();
	}

}
