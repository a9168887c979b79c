package io.redelay.embedded.redis.autoconfigure;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Properties of the embedded Redis.
 *
 * @param enabled Whether to offer an embedded Redis when no spring.data.redis location is
 * configured.
 * @param port Port that the applications of a machine share a server on. With 0 the
 * application has a server of its own on a free port, and its data is lost at the end.
 * @param directory Directory of the shared server's data. By default a directory of its
 * port, in .redelay/embedded-redis in the user's home.
 * @param startupTimeout Longest time to wait for the server.
 */
@ConfigurationProperties("redelay.embedded-redis")
record EmbeddedRedisProperties(@DefaultValue("true") boolean enabled, @DefaultValue("6385") int port,
		@Nullable Path directory, @DefaultValue("30s") Duration startupTimeout) {

	EmbeddedRedisProperties {
		if (port < 0 || port > 65_535) {
			throw new IllegalArgumentException(
					"'redelay.embedded-redis.port' must be between 0 and 65535, not %d".formatted(port));
		}
		if (startupTimeout.isNegative() || startupTimeout.isZero()) {
			throw new IllegalArgumentException(
					"'redelay.embedded-redis.startup-timeout' must be positive, not %s".formatted(startupTimeout));
		}
	}

	Path directoryOrDefault() {
		return (this.directory != null) ? this.directory : defaultDirectory(Path.of(System.getProperty("user.home")),
				Path.of(System.getProperty("java.io.tmpdir")));
	}

	/**
	 * A user of a container may have no home.
	 */
	Path defaultDirectory(Path home, Path fallback) {
		return (Files.isWritable(home) ? home : fallback)
			.resolve(Path.of(".redelay", "embedded-redis", String.valueOf(this.port)));
	}

}
