package io.redelay.benchmarks.peers;

import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.embedded.redis.RedisServer;

/**
 * What figures are only true of.
 *
 * @param at when it began
 * @param processors how many cores there are
 * @param load how many processes wanted to run just before
 * @param system the operating system
 * @param java the version of Java
 * @param redis the version of Redis
 * @param size how many messages the fastest are given
 * @param concurrency how many handlers run at the same time
 */
record Surroundings(Instant at, int processors, double load, String system, String java, String redis, int size,
		int concurrency) {

	private static final Pattern VERSION = Pattern.compile("redis_version:(\\S+)");

	static Surroundings of(RedisServer server, PeerOptions options) {
		Matcher version = VERSION.matcher(String.valueOf(server.command("INFO", "SERVER")));
		return new Surroundings(Instant.now(), Runtime.getRuntime().availableProcessors(),
				ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(), System.getProperty("os.name"),
				System.getProperty("java.version"), version.find() ? version.group(1) : "unknown", options.size(),
				options.concurrency());
	}

}
