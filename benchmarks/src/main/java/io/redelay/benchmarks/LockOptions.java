package io.redelay.benchmarks;

import java.net.URI;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Options of {@link LockCosts}.
 *
 * @param redis where Redis is; by default an embedded one is started
 * @param rounds how many rounds are measured after the warm-up
 */
record LockOptions(@Nullable URI redis, @DefaultValue("5") int rounds) {

	LockOptions {
		BenchmarkOptions.requirePositive("rounds", rounds);
	}

}
