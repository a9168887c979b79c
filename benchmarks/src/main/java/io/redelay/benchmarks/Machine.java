package io.redelay.benchmarks;

import java.lang.management.ManagementFactory;
import java.time.Instant;

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
 * @since 0.1.0
 */
public record Machine(Instant at, int processors, double load, String system, String java, String redis) {

	/**
	 * Looks at this machine.
	 * @param server the Redis on it
	 * @return what it is now
	 */
	public static Machine now(RedisServer server) {
		return new Machine(Instant.now(), Runtime.getRuntime().availableProcessors(),
				ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(), System.getProperty("os.name"),
				System.getProperty("java.version"), RedisInfo.of(server, "server").text("redis_version"));
	}

}
