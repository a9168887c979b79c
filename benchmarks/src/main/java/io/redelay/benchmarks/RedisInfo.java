package io.redelay.benchmarks;

import java.util.Map;
import java.util.stream.Collectors;

import io.redelay.embedded.redis.RedisServer;

/**
 * What Redis says of itself at one time.
 *
 * @param values the values by their names
 * @since 0.1.0
 */
public record RedisInfo(Map<String, String> values) {

	/**
	 * Asks for a section.
	 * @param server the Redis
	 * @param section the section's name
	 * @return what it says
	 */
	public static RedisInfo of(RedisServer server, String section) {
		return new RedisInfo(String.valueOf(server.command("INFO", section))
			.lines()
			.map((line) -> line.split(":", 2))
			.filter((pair) -> pair.length == 2)
			.collect(Collectors.toMap((pair) -> pair[0], (pair) -> pair[1])));
	}

	/**
	 * Returns a value.
	 * @param name its name
	 * @return the text
	 */
	public String text(String name) {
		String value = this.values.get(name);
		if (value == null) {
			throw new IllegalStateException("Redis does not report its '%s'".formatted(name));
		}
		return value;
	}

	/**
	 * Returns a value that is a number.
	 * @param name its name
	 * @return the number
	 */
	public long number(String name) {
		return Long.parseLong(text(name));
	}

}
