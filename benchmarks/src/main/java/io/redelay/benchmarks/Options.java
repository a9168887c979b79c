package io.redelay.benchmarks;

import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * What the command line says, as {@code --name=value}.
 *
 * @param redis where Redis is; by default an embedded one is started
 * @param rounds how many rounds are measured after the warm-up
 * @param messages how many messages go in batches of 100; fewer go in smaller ones
 * @param bytes how long a payload is
 */
record Options(@Nullable URI redis, int rounds, int messages, int bytes) {

	private static final Set<String> NAMES = Set.of("--redis", "--rounds", "--messages", "--bytes");

	static Options parse(String... args) {
		Map<String, String> values = List.of(args)
			.stream()
			.map((arg) -> arg.split("=", 2))
			.collect(Collectors.toMap((pair) -> pair[0], (pair) -> (pair.length > 1) ? pair[1] : ""));
		for (String name : values.keySet()) {
			if (!NAMES.contains(name)) {
				throw new IllegalArgumentException("'" + name + "' is none of " + NAMES);
			}
		}
		String redis = values.get("--redis");
		int messages = number(values, "--messages", 100_000);
		if (messages % 2_000 != 0) {
			throw new IllegalArgumentException("'--messages' must be a multiple of 2,000: " + messages);
		}
		return new Options((redis != null) ? URI.create(redis) : null, number(values, "--rounds", 5), messages,
				number(values, "--bytes", 200));
	}

	private static int number(Map<String, String> values, String name, int otherwise) {
		String value = values.get(name);
		int number = (value != null) ? Integer.parseInt(value) : otherwise;
		if (number < 1) {
			throw new IllegalArgumentException("'" + name + "' must be at least 1: " + number);
		}
		return number;
	}

}
