package io.redelay.benchmarks.peers.contender;

import java.util.List;
import java.util.Objects;

import io.redelay.embedded.redis.RedisServer;

/**
 * Asks Redis what is left of a queue.
 */
final class RedisCommands {

	private RedisCommands() {
	}

	static long count(RedisServer server, String command, String key) {
		return (Long) Objects.requireNonNull(server.command(command, key));
	}

	/**
	 * How many entries of a stream a group has not acknowledged, delivered or not.
	 */
	static long unacknowledged(RedisServer server, String stream) {
		List<?> groups = (List<?>) Objects.requireNonNull(server.command("XINFO", "GROUPS", stream));
		long left = 0;
		for (Object group : groups) {
			List<?> fields = (List<?>) group;
			left += number(fields, "pending") + number(fields, "lag");
		}
		return left;
	}

	private static long number(List<?> fields, String name) {
		return (Long) Objects.requireNonNull(fields.get(fields.indexOf(name) + 1));
	}

}
