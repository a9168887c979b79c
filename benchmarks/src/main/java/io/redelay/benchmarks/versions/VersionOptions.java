package io.redelay.benchmarks.versions;

import java.nio.file.Files;
import java.nio.file.Path;

import io.redelay.benchmarks.BenchmarkOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Options of {@link VersionBenchmark}.
 *
 * @param earlier the classes of the module autoconfigure in the earlier version, a folder
 * or a jar
 * @param rounds how many rounds are measured
 * @param warmUp how many rounds come first and do not count
 * @param messages how many messages there are in a round of a work
 * @param output the file for the lines of JSON
 * @param metrics whether both versions have a meter registry
 * @param stats whether the version that counts for the history of queues does so
 */
record VersionOptions(@Nullable Path earlier, @DefaultValue("20") int rounds, @DefaultValue("5") int warmUp,
		@DefaultValue("20000") int messages, @DefaultValue("target/versions.jsonl") Path output,
		@DefaultValue("false") boolean metrics, @DefaultValue("true") boolean stats) {

	VersionOptions {
		BenchmarkOptions.requirePositive("rounds", rounds);
		BenchmarkOptions.requirePositive("messages", messages);
		if (earlier == null || !Files.exists(earlier)) {
			throw new IllegalArgumentException(
					"'--earlier' must be where the classes of the module autoconfigure are in the earlier version: "
							+ earlier);
		}
	}

	static VersionOptions read(String... args) {
		return BenchmarkOptions.read(VersionOptions.class, args);
	}

}
