package io.redelay.benchmarks.peers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.redelay.benchmarks.BenchmarkOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Options of {@link PeerBenchmark}.
 *
 * @param quick whether the defaults are those of a short run
 * @param items names of items, or their beginnings; all if empty
 * @param contenders names of contenders; all if empty
 * @param warmUp how many rounds come first and do not count
 * @param rounds how many rounds are measured after those
 * @param size how many messages the fastest are given
 * @param concurrency how many handlers run at the same time
 * @param others how many other messages are scheduled while lateness is measured
 * @param queues how many queues there are while idleness is measured
 * @param latency how many seconds latency is measured
 * @param idle how many seconds idleness is measured
 * @param postgresql the URL of a database of PostgreSQL, all of which is deleted
 * @param output the file for the lines of JSON
 */
record PeerOptions(@DefaultValue("false") boolean quick, @DefaultValue List<String> items,
		@DefaultValue List<String> contenders, @DefaultValue("2") int warmUp, @DefaultValue("3") int rounds,
		@DefaultValue("200000") int size, @DefaultValue("8") int concurrency, @DefaultValue( {
				"0", "200000", "2000000" }) List<Integer> others,
		@DefaultValue({ "1", "50", "1000" }) List<Integer> queues, @DefaultValue("10") int latency,
		@DefaultValue("60") int idle, @Nullable String postgresql, @DefaultValue("target/peers.jsonl") Path output){

	private static final Map<String, String> QUICK = Map.of("items", "send-futures,drain,both,latency", "warm-up", "1",
			"rounds", "1", "size", "40000", "latency", "2");

	PeerOptions {
		BenchmarkOptions.requirePositive("warm-up", warmUp);
		BenchmarkOptions.requirePositive("rounds", rounds);
		BenchmarkOptions.requirePositive("size", size);
		BenchmarkOptions.requirePositive("concurrency", concurrency);
		BenchmarkOptions.requirePositive("latency", latency);
		BenchmarkOptions.requirePositive("idle", idle);
	}

	static PeerOptions read(String... args) {
		boolean quick = Set.of(args).contains("--quick");
		return BenchmarkOptions.read(PeerOptions.class, quick ? QUICK : Map.of(), args);
	}

	/**
	 * Returns the folder with the script of BullMQ.
	 */
	static Path bullMq() {
		Path here = Path.of("bullmq").toAbsolutePath();
		return Files.isDirectory(here) ? here : Path.of("benchmarks", "bullmq").toAbsolutePath();
	}

}
