package io.redelay.benchmarks.soak;

import java.util.List;
import java.util.Objects;

import io.redelay.embedded.redis.RedisServer;

/**
 * What a drained queue leaves behind for ever.
 */
record Residue(RedisServer server) {

	private static final List<String> ALLOWED = List.of("redelay:queues",
			"redelay:{" + SoakApplication.QUEUE + "}:known", "redelay:{" + SoakApplication.QUEUE + "}:meta");

	private static final Long NO_EXPIRY = -1L;

	/**
	 * The keys without an expiry that a queue that was drained does not keep.
	 */
	List<String> keys() {
		return ((List<?>) Objects.requireNonNull(this.server.command("KEYS", "*"))).stream()
			.map(String::valueOf)
			.filter((key) -> !ALLOWED.contains(key) && NO_EXPIRY.equals(this.server.command("PTTL", key)))
			.sorted()
			.toList();
	}

}
