package io.redelay.benchmarks;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.redisson.api.RedissonClient;
import org.redisson.api.redisnode.RedisNode;
import org.redisson.api.redisnode.RedisNodes;

/**
 * What Redis says of itself at one time.
 *
 * @param commands what clients sent, this question apart
 * @param innerCommands what scripts called
 * @param cpuMicros the time its process has computed
 * @param usedMemory the bytes it has in use
 */
record RedisCounters(long commands, long innerCommands, long cpuMicros, long usedMemory) {

	private static final Pattern CALLS = Pattern.compile("calls=(\\d+)");

	private static final Set<String> SCRIPTS = Set.of("eval", "evalsha", "script|load");

	private static final Set<String> OTHERS = Set.of("info", "ping", "hello", "auth", "client|setname",
			"client|setinfo", "client|reply", "select");

	static RedisCounters of(RedissonClient redisson) {
		Map<String, String> info = redisson.getRedisNodes(RedisNodes.SINGLE)
			.getInstance()
			.info(RedisNode.InfoSection.ALL);
		long commands = 0;
		long innerCommands = 0;
		for (Map.Entry<String, String> entry : info.entrySet()) {
			if (entry.getKey().startsWith("cmdstat_")) {
				String command = entry.getKey().substring("cmdstat_".length());
				Matcher calls = CALLS.matcher(entry.getValue());
				long count = calls.find() ? Long.parseLong(calls.group(1)) : 0;
				if (SCRIPTS.contains(command)) {
					commands += count;
				}
				else if (!OTHERS.contains(command)) {
					innerCommands += count;
				}
			}
		}
		return new RedisCounters(commands, innerCommands, micros(info, "used_cpu_user") + micros(info, "used_cpu_sys"),
				Long.parseLong(info.getOrDefault("used_memory", "0")));
	}

	private static long micros(Map<String, String> info, String name) {
		return new BigDecimal(info.getOrDefault(name, "0")).movePointRight(6).longValue();
	}

	RedisCounters minus(RedisCounters before) {
		return new RedisCounters(this.commands - before.commands, this.innerCommands - before.innerCommands,
				this.cpuMicros - before.cpuMicros, this.usedMemory - before.usedMemory);
	}

}
