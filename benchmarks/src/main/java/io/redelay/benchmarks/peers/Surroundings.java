package io.redelay.benchmarks.peers;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.redelay.benchmarks.Machine;
import io.redelay.embedded.redis.RedisServer;

/**
 * What figures are only true of.
 *
 * @param machine where they come from
 * @param size how many messages the fastest are given
 * @param concurrency how many handlers run at the same time
 */
record Surroundings(@JsonUnwrapped Machine machine, int size, int concurrency) {

	static Surroundings of(RedisServer server, PeerOptions options) {
		return new Surroundings(Machine.now(server), options.size(), options.concurrency());
	}

}
