package io.redelay.benchmarks;

import java.net.URI;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Options of {@link StoreBenchmark}.
 *
 * @param redis where Redis is; by default an embedded one is started
 * @param rounds how many rounds are measured after the warm-up
 * @param messages how many messages go in batches of 100; fewer go in smaller ones
 * @param bytes how long a payload is
 */
record StoreOptions(@Nullable URI redis, @DefaultValue("5") int rounds, @DefaultValue("100000") int messages,
		@DefaultValue("200") int bytes) {

	StoreOptions {
		BenchmarkOptions.requirePositive("rounds", rounds);
		BenchmarkOptions.requirePositive("messages", messages);
		BenchmarkOptions.requirePositive("bytes", bytes);
		if (messages % 2_000 != 0) {
			throw new IllegalArgumentException("'--messages' must be a multiple of 2,000: %d.".formatted(messages));
		}
	}

}
