package io.redelay.benchmarks.peers.item;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.benchmarks.peers.contender.Session;
import io.redelay.embedded.redis.RedisServer;

/**
 * What Redis and the client have used up to a time.
 *
 * @param commands commands, those that scripts call included
 * @param reads requests, those that arrive together counted as one
 * @param redisCpu what the process of Redis has computed
 * @param clientCpu what the process of the client has computed
 * @param memory the bytes that Redis has in use
 */
record Usage(long commands, long reads, Duration redisCpu, Duration clientCpu, long memory) {

	private static final Pattern COMMAND = Pattern.compile("cmdstat_([^:]+):calls=(\\d+)");

	private static final Set<String> OWN = Set.of("info", "flushall", "auth", "hello");

	static Usage of(Stage stage, Session session) {
		RedisServer server = stage.server();
		String info = String.valueOf(server.command("INFO", "ALL"));
		long commands = 0;
		Matcher command = COMMAND.matcher(info);
		while (command.find()) {
			if (!OWN.contains(command.group(1))) {
				commands += Long.parseLong(command.group(2));
			}
		}
		return new Usage(commands, Long.parseLong(value(info, "total_reads_processed")),
				seconds(info, "used_cpu_user").plus(seconds(info, "used_cpu_sys")), session.cpu(),
				Long.parseLong(value(info, "used_memory")));
	}

	private static Duration seconds(String info, String name) {
		return Duration.ofNanos(new BigDecimal(value(info, name)).movePointRight(9).longValue());
	}

	private static String value(String info, String name) {
		Matcher line = Pattern.compile("^" + name + ":(\\S+)", Pattern.MULTILINE).matcher(info);
		if (!line.find()) {
			throw new IllegalStateException("Redis does not report its '%s'".formatted(name));
		}
		return line.group(1);
	}

	Usage since(Usage before) {
		return new Usage(this.commands - before.commands, this.reads - before.reads,
				this.redisCpu.minus(before.redisCpu), this.clientCpu.minus(before.clientCpu),
				this.memory - before.memory);
	}

	/**
	 * Adds what each message cost.
	 */
	void addTo(Map<Figure, Double> figures, int messages) {
		figures.put(Figure.COMMANDS, (double) this.commands / messages);
		figures.put(Figure.REDIS_CPU, this.redisCpu.toNanos() / 1e3 / messages);
		figures.put(Figure.CLIENT_CPU, this.clientCpu.toNanos() / 1e3 / messages);
	}

}
