package io.redelay.queue.script;

import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.redelay.queue.message.SimulatedUids;
import io.redelay.test.TestRedis;
import io.redelay.test.extent.Extent;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests of the store against a model, with random requests.
 * <p>
 * The system properties {@code redelay.test.seed} (the first one), {@code -.seeds} (how
 * many) and {@code -.steps} (of each) repeat a failure or make it long.
 */
class DelayQueueStoreModelIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void doesWhatTheModelDoes(long seed) {
		System.out.printf("Seed %d: repeat with -Dredelay.test.seed=%d -Dredelay.test.seeds=1%n", seed, seed);
		int steps = Integer.getInteger("redelay.test.steps", 1_500);
		SimulatedUids.run(new Random(seed), () -> new ModelRun(redis.client(), timer, seed).run(steps));
	}

	static Stream<Long> seeds() {
		long first = Long.getLong("redelay.test.seed", System.nanoTime());
		return LongStream.range(first, first + Integer.getInteger("redelay.test.seeds", Extent.of(2, 6))).boxed();
	}

}
