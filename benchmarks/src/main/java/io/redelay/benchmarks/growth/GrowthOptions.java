package io.redelay.benchmarks.growth;

import java.nio.file.Path;
import java.util.List;

import io.redelay.benchmarks.BenchmarkOptions;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Options of {@link GrowthBenchmark}.
 *
 * @param backlogs how many messages there are, from the smallest backlog
 * @param scheduled whether it is also measured with messages that are due later
 * @param rounds how many rounds are measured after a warm-up at each size
 * @param claims how many claims a round has
 * @param bytes how long a payload is
 * @param output the file for the lines of JSON
 */
record GrowthOptions(@DefaultValue( {
		"10000", "100000", "1000000", "10000000" }) List<Integer> backlogs, @DefaultValue("false") boolean scheduled,
		@DefaultValue("5") int rounds, @DefaultValue("200") int claims, @DefaultValue("200") int bytes,
		@DefaultValue("target/growth.jsonl") Path output){

	GrowthOptions {
		backlogs = backlogs.stream().sorted().toList();
		if (backlogs.isEmpty() || backlogs.get(0) < GrowthBenchmark.LEAST_BACKLOG) {
			throw new IllegalArgumentException(
					"'--backlogs' must be at least %d each: %s.".formatted(GrowthBenchmark.LEAST_BACKLOG, backlogs));
		}
		BenchmarkOptions.requirePositive("rounds", rounds);
		BenchmarkOptions.requirePositive("claims", claims);
		BenchmarkOptions.requirePositive("bytes", bytes);
	}

}
