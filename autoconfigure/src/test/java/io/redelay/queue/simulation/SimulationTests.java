package io.redelay.queue.simulation;

import java.util.List;
import java.util.stream.LongStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs {@link Simulation} with 200 seeds, or as many as the system property
 * {@code redelay.test.seeds} says, from {@code redelay.test.seed} on.
 */
class SimulationTests {

	private static final String LOGGER = "io.redelay.queue";

	private final LoggingSystem logging = LoggingSystem.get(getClass().getClassLoader());

	private final MemoryRedis redis = new MemoryRedis();

	@AfterEach
	void close() {
		this.redis.close();
	}

	@BeforeEach
	void logNoFailuresOfHandlers() {
		this.logging.setLogLevel(LOGGER, LogLevel.ERROR);
	}

	@AfterEach
	void logAsBefore() {
		this.logging.setLogLevel(LOGGER, null);
	}

	@Test
	void everySeedEndsWell() {
		long first = Long.getLong("redelay.test.seed", 1);
		LongStream.range(first, first + Long.getLong("redelay.test.seeds", 200))
			.forEach((seed) -> new Simulation(seed, this.redis).run());
	}

	@Test
	void aSeedRepeatsItsRun() {
		for (long seed = 1; seed <= 10; seed++) {
			List<String> first = new Simulation(seed, this.redis).run();
			List<String> second = new Simulation(seed, this.redis).run();
			assertThat(second).isEqualTo(first);
		}
	}

}
