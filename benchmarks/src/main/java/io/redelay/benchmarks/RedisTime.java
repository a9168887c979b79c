package io.redelay.benchmarks;

import java.math.BigDecimal;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.embedded.redis.RedisServer;

/**
 * What a Redis has done.
 *
 * @param commands how many commands, those that scripts call included
 * @param scripts how many scripts
 * @param scriptMicros how long these took, in microseconds
 * @param cpuMicros what its process has computed, in microseconds
 * @since 0.1.0
 */
public record RedisTime(long commands, long scripts, long scriptMicros, long cpuMicros) {

	private static final Pattern FIELDS = Pattern.compile("calls=(\\d+),usec=(\\d+)");

	/**
	 * Asks a Redis.
	 * @param server the Redis
	 * @return what it has done since it started
	 */
	public static RedisTime of(RedisServer server) {
		long commands = 0;
		long scripts = 0;
		long micros = 0;
		for (Map.Entry<String, String> each : RedisInfo.of(server, "commandstats").values().entrySet()) {
			Matcher fields = FIELDS.matcher(each.getValue());
			if (each.getKey().startsWith("cmdstat_") && fields.find()) {
				commands += Long.parseLong(fields.group(1));
				if (each.getKey().startsWith("cmdstat_eval")) {
					scripts += Long.parseLong(fields.group(1));
					micros += Long.parseLong(fields.group(2));
				}
			}
		}
		RedisInfo cpu = RedisInfo.of(server, "cpu");
		return new RedisTime(commands, scripts, micros, micros(cpu, "used_cpu_user") + micros(cpu, "used_cpu_sys"));
	}

	private static long micros(RedisInfo info, String name) {
		return new BigDecimal(info.text(name)).movePointRight(6).longValue();
	}

	/**
	 * Subtracts what it had done before.
	 * @param before what that was
	 * @return what it has done since
	 */
	public RedisTime since(RedisTime before) {
		return new RedisTime(this.commands - before.commands, this.scripts - before.scripts,
				this.scriptMicros - before.scriptMicros, this.cpuMicros - before.cpuMicros);
	}

	/**
	 * Adds what another Redis has done.
	 * @param other what that is
	 * @return what both have done
	 */
	public RedisTime plus(RedisTime other) {
		return new RedisTime(this.commands + other.commands, this.scripts + other.scripts,
				this.scriptMicros + other.scriptMicros, this.cpuMicros + other.cpuMicros);
	}

	/**
	 * Returns what its process has computed for a message.
	 * @param messages how many there were
	 * @return microseconds
	 */
	public double microsPer(int messages) {
		return (double) this.cpuMicros / messages;
	}

	/**
	 * Returns how long a script took.
	 * @return microseconds, the mean
	 */
	public double microsPerScript() {
		return (double) this.scriptMicros / this.scripts;
	}

}
