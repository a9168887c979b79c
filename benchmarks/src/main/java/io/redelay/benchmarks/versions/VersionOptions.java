package io.redelay.benchmarks.versions;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.redelay.benchmarks.BenchmarkOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Options of {@link VersionBenchmark}.
 *
 * @param earlier the folder where the earlier version is built
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
		if (earlier == null || modules(earlier).isEmpty()) {
			throw new IllegalArgumentException(
					"'--earlier' must be the folder of the earlier version, with the classes of its modules: "
							+ earlier);
		}
	}

	/**
	 * Returns the classes of the library's modules. Before there were several, all of it
	 * was in the last one.
	 * @param project where it is built
	 */
	static List<Path> modules(Path project) {
		return Stream.of("support", "lock", "queue", "actuator", "autoconfigure")
			.map((module) -> project.resolve(module).resolve("target/classes"))
			.filter(Files::exists)
			.toList();
	}

	static VersionOptions read(String... args) {
		return BenchmarkOptions.read(VersionOptions.class, args);
	}

}
