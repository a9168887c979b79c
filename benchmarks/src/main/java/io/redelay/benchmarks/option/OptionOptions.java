package io.redelay.benchmarks.option;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.redelay.benchmarks.BenchmarkOptions;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Options of {@link OptionBenchmark}.
 *
 * @param option the options to measure beside plain messages; all if there is none
 * @param rounds how many rounds are measured
 * @param warmUp how many rounds come first and do not count
 * @param messages how many messages there are in a round of an option, in either way
 * @param output the file for the lines of JSON
 */
record OptionOptions(@DefaultValue List<SendOption> option, @DefaultValue("10") int rounds,
		@DefaultValue("3") int warmUp, @DefaultValue("10000") int messages,
		@DefaultValue("target/options.jsonl") Path output) {

	OptionOptions {
		BenchmarkOptions.requirePositive("rounds", rounds);
		BenchmarkOptions.requirePositive("messages", messages);
	}

	static OptionOptions read(String... args) {
		return BenchmarkOptions.read(OptionOptions.class, args);
	}

	/**
	 * Returns what takes turns in a round.
	 */
	List<SendOption> measured() {
		Set<SendOption> measured = this.option.isEmpty() ? EnumSet.allOf(SendOption.class)
				: EnumSet.copyOf(this.option);
		measured.add(SendOption.PLAIN);
		return List.copyOf(measured);
	}

}
