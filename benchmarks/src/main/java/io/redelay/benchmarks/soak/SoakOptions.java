package io.redelay.benchmarks.soak;

import java.nio.file.Path;

import io.redelay.benchmarks.BenchmarkOptions;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Options of {@link SoakBenchmark}.
 *
 * @param minutes how long it runs
 * @param interval seconds between samples
 * @param output the file for the lines of JSON
 */
record SoakOptions(@DefaultValue("10") int minutes, @DefaultValue("30") int interval,
		@DefaultValue("target/soak.jsonl") Path output) {

	SoakOptions {
		BenchmarkOptions.requirePositive("minutes", minutes);
		BenchmarkOptions.requirePositive("interval", interval);
	}

}
