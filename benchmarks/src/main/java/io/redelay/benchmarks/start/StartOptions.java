package io.redelay.benchmarks.start;

import java.nio.file.Files;
import java.nio.file.Path;

import io.redelay.benchmarks.BenchmarkOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Options of {@link StartBenchmark}.
 *
 * @param earlier the folder where an earlier version is built, to compare with
 * @param rounds how many rounds are measured
 * @param warmUp how many rounds come first and do not count
 * @param output the file for the lines of JSON
 */
record StartOptions(@Nullable Path earlier, @DefaultValue("7") int rounds, @DefaultValue("1") int warmUp,
		@DefaultValue("target/start.jsonl") Path output) {

	StartOptions {
		BenchmarkOptions.requirePositive("rounds", rounds);
		if (earlier != null && !Files.exists(earlier.resolve("queue/target/classes"))) {
			throw new IllegalArgumentException(
					"'--earlier' must be the folder of an earlier version, with the classes of its modules: "
							+ earlier);
		}
	}

	static StartOptions read(String... args) {
		return BenchmarkOptions.read(StartOptions.class, args);
	}

}
