package io.redelay.benchmarks.versions;

import java.nio.file.Path;
import java.util.List;

import io.redelay.benchmarks.BenchmarkOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Options of {@link VersionBenchmark}.
 *
 * @param earlier the earlier versions: commits, or folders where they are compiled
 * @param works what is done, in this order
 * @param rounds how many rounds are measured
 * @param warmUp how many rounds come first and do not count
 * @param messages how many messages there are in a round of a work at most
 * @param output the file for the lines of JSON
 * @param landing a table to which the medians are added, or {@code null}
 * @param metrics whether all versions have a meter registry
 * @param stats whether a version that counts for the history of queues does so
 */
record VersionOptions(@DefaultValue List<String> earlier, @DefaultValue( {
		"send", "threads", "futures", "bulk", "drain", "message", "batch", "both" }) List<VersionWork> works,
		@DefaultValue("20") int rounds, @DefaultValue("5") int warmUp, @DefaultValue("20000") int messages,
		@DefaultValue("target/versions.jsonl") Path output, @Nullable Path landing,
		@DefaultValue("false") boolean metrics, @DefaultValue("true") boolean stats){

	VersionOptions {
		BenchmarkOptions.requirePositive("rounds", rounds);
		BenchmarkOptions.requirePositive("messages", messages);
		if (earlier.isEmpty()) {
			throw new IllegalArgumentException("'--earlier' must name the commit of an earlier version");
		}
	}

	static VersionOptions read(String... args) {
		return BenchmarkOptions.read(VersionOptions.class, args);
	}

}
