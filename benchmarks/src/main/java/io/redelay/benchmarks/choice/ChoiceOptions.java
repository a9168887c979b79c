package io.redelay.benchmarks.choice;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.redelay.benchmarks.BenchmarkOptions;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Options of {@link ChoiceBenchmark}.
 *
 * @param quick whether the defaults are those of a short run
 * @param items names of items, or their beginnings; all if empty
 * @param rounds how many rounds are measured
 * @param warmUp how many rounds come first and do not count
 * @param seconds how long what is a rate, or a wait at a rate, is measured
 * @param perSecond how many messages a second the quiet ones send together
 * @param queues how many queues {@code hot-queue} has
 * @param work how long a handler takes in {@code hot-queue}
 * @param concurrency how many handlers run at the same time in a container
 * @param burst how many messages are due at the same time in {@code burst}
 * @param backlog how many messages the loud key has in {@code fair} and {@code keys}
 * @param keys how many keys there are in {@code keys}
 * @param rates how many messages a second may be claimed in {@code limit}
 * @param drain how many messages are handled in {@code partitions}
 * @param output the file for the lines of JSON
 */
record ChoiceOptions(@DefaultValue("false") boolean quick, @DefaultValue List<String> items,
		@DefaultValue("3") int rounds, @DefaultValue("1") int warmUp, @DefaultValue("10") int seconds,
		@DefaultValue("200") int perSecond, @DefaultValue("50") int queues, @DefaultValue("1ms") Duration work,
		@DefaultValue("8") String concurrency, @DefaultValue("100000") int burst, @DefaultValue("1000000") int backlog,
		@DefaultValue( {
				"10", "1000", "100000" }) List<Integer> keys,
		@DefaultValue({ "100", "1000", "10000" }) List<Integer> rates, @DefaultValue("200000") int drain,
		@DefaultValue("target/choice.jsonl") Path output){

	private static final Map<String, String> QUICK = Map.of("rounds", "1", "seconds", "3", "burst", "20000", "backlog",
			"20000", "keys", "10,10000", "drain", "40000");

	ChoiceOptions {
		BenchmarkOptions.requirePositive("rounds", rounds);
		BenchmarkOptions.requirePositive("seconds", seconds);
		BenchmarkOptions.requirePositive("per-second", perSecond);
		BenchmarkOptions.requirePositive("queues", queues);
		BenchmarkOptions.requirePositive("burst", burst);
		BenchmarkOptions.requirePositive("backlog", backlog);
		BenchmarkOptions.requirePositive("drain", drain);
	}

	static ChoiceOptions read(String... args) {
		return BenchmarkOptions.read(ChoiceOptions.class, Set.of(args).contains("--quick") ? QUICK : Map.of(), args);
	}

	Duration duration() {
		return Duration.ofSeconds(this.seconds);
	}

}
