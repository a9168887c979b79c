package io.redelay.benchmarks.senders;

import java.nio.file.Path;
import java.util.List;

import io.redelay.benchmarks.BenchmarkOptions;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Options of {@link BlockingSendersBenchmark}.
 *
 * @param threads numbers of threads
 * @param rounds how many rounds are measured
 * @param warmUp how many rounds come first and do not count
 * @param messages how many messages a contender sends in a round with each number
 * @param virtual whether the threads are virtual
 * @param output the file for the lines of JSON
 */
record SenderOptions(@DefaultValue( {
		"1", "2", "4", "8", "16", "32" }) List<Integer> threads, @DefaultValue("30") int rounds,
		@DefaultValue("15") int warmUp, @DefaultValue("600") int messages, @DefaultValue("false") boolean virtual,
		@DefaultValue("target/senders.jsonl") Path output){

	SenderOptions {
		threads.forEach((number) -> BenchmarkOptions.requirePositive("threads", number));
		BenchmarkOptions.requirePositive("rounds", rounds);
		BenchmarkOptions.requirePositive("messages", messages);
	}

}
