package io.redelay.benchmarks.peers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the command line says, as {@code --name=value}.
 *
 * @param items names of items, or their beginnings; all if empty
 * @param contenders names of contenders; all if empty
 * @param warmUp how many rounds come first and do not count
 * @param rounds how many rounds are measured after those
 * @param size how many messages the fastest are given
 * @param concurrency how many handlers run at the same time
 * @param others how many other messages are scheduled while lateness is measured
 * @param queues how many queues there are while idleness is measured
 * @param latency how long latency is measured
 * @param idle how long idleness is measured
 * @param bullMq the folder with the script of BullMQ
 * @param output the file for the lines of JSON
 */
record PeerOptions(List<String> items, List<String> contenders, int warmUp, int rounds, int size, int concurrency,
		List<Integer> others, List<Integer> queues, Duration latency, Duration idle, Path bullMq, Path output) {

	private static final Map<String, String> DEFAULTS = Map.ofEntries(Map.entry("items", ""),
			Map.entry("contenders", ""), Map.entry("warm-up", "2"), Map.entry("rounds", "3"),
			Map.entry("size", "200000"), Map.entry("concurrency", "8"), Map.entry("others", "0,200000,2000000"),
			Map.entry("queues", "1,50,1000"), Map.entry("latency", "10"), Map.entry("idle", "60"),
			Map.entry("output", "target/peers.jsonl"));

	private static final Map<String, String> QUICK = Map.of("items", "send-futures,drain,both,latency", "warm-up", "1",
			"rounds", "1", "size", "40000", "latency", "2");

	static PeerOptions parse(String... args) {
		Map<String, String> values = new LinkedHashMap<>(DEFAULTS);
		if (Set.of(args).contains("--quick")) {
			values.putAll(QUICK);
		}
		for (String arg : args) {
			if (arg.equals("--quick")) {
				continue;
			}
			String[] pair = arg.replaceFirst("^--", "").split("=", 2);
			if (pair.length != 2 || !DEFAULTS.containsKey(pair[0])) {
				throw new IllegalArgumentException("'%s' is neither '--quick' nor '--name=value' with a name of %s"
					.formatted(arg, DEFAULTS.keySet()));
			}
			values.put(pair[0], pair[1]);
		}
		return new PeerOptions(list(values, "items"), list(values, "contenders"), number(values, "warm-up"),
				number(values, "rounds"), number(values, "size"), number(values, "concurrency"),
				numbers(values, "others"), numbers(values, "queues"), Duration.ofSeconds(number(values, "latency")),
				Duration.ofSeconds(number(values, "idle")), findBullMq(),
				Path.of(values.getOrDefault("output", "")).toAbsolutePath());
	}

	private static Path findBullMq() {
		Path here = Path.of("bullmq").toAbsolutePath();
		return Files.isDirectory(here) ? here : Path.of("benchmarks", "bullmq").toAbsolutePath();
	}

	private static List<String> list(Map<String, String> values, String name) {
		return Stream.of(values.getOrDefault(name, "").split(",")).filter((word) -> !word.isBlank()).toList();
	}

	private static List<Integer> numbers(Map<String, String> values, String name) {
		return list(values, name).stream().map(Integer::valueOf).toList();
	}

	private static int number(Map<String, String> values, String name) {
		int number = Integer.parseInt(values.getOrDefault(name, ""));
		if (number < 1) {
			throw new IllegalArgumentException("'--%s' must be at least 1: %d".formatted(name, number));
		}
		return number;
	}

}
