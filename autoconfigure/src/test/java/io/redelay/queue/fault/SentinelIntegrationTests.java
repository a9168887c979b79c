package io.redelay.queue.fault;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisErrorException;
import io.redelay.embedded.redis.RedisServer;
import io.redelay.test.redis.RedisSentinel;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * Sentinels that make a replica the master under the hands of those who send and listen.
 * A replica that lagged is the subject of {@link RollbackIntegrationTests}.
 * <p>
 * The system property {@code redelay.test.rounds} says how often.
 */
@Tag("full")
class SentinelIntegrationTests extends FaultTests {

	private static final int ROUNDS = Integer.getInteger("redelay.test.rounds", 1);

	private static final Duration DOWN_AFTER = Duration.ofSeconds(3);

	/**
	 * What slow machines may need until a master is elected and has been heard of.
	 */
	private static final Duration MARGIN = Duration.ofMinutes(2);

	private static RedisSentinel sentinel;

	@BeforeAll
	static void startSentinel() {
		sentinel = RedisSentinel.builder().replicas(2).downAfter(DOWN_AFTER).start();
	}

	@AfterAll
	static void closeSentinel() {
		sentinel.close();
	}

	@Test
	void aReplicaBecomesTheMasterByHandAndWhenTheMasterDies() throws Exception {
		Load load = new Load(this.queue, instance(), instance()).start();
		for (int round = 0; round < ROUNDS; round++) {
			load.awaitMore(100);
			RedisServer first = awaitReplicas();
			failOver(first);
			load.awaitResumption(MARGIN);
			load.awaitMore(100);
			RedisServer second = awaitReplicas();
			second.kill();
			Duration pause = load.awaitResumption(DOWN_AFTER.plus(MARGIN));
			second.restart();
			System.out.printf("Round %d: resumed after %d ms, %s%n", round, pause.toMillis(), load);
		}
		load.awaitMore(100);
		load.stop();
		load.assertNothingIsMissing();
		load.assertNoSendFailed();
		load.assertNothingWasEarly();
		load.assertOrderWasKept();
	}

	/**
	 * A sentinel that has just begun refuses; one that runs out of time is asked again.
	 */
	private static void failOver(RedisServer first) {
		Awaitility.await()
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofSeconds(1))
			.ignoreException(RedisErrorException.class)
			.until(() -> {
				if (sentinel.master() == first) {
					sentinel.sentinels().get(0).command("SENTINEL", "FAILOVER", sentinel.masterName());
				}
				return sentinel.master() != first;
			});
	}

	/**
	 * Waits until two follow the master, so that one can take its place.
	 */
	private static RedisServer awaitReplicas() {
		Awaitility.await()
			.until(() -> String.valueOf(sentinel.master().command("INFO", "replication"))
				.lines()
				.filter((line) -> line.startsWith("slave") && line.contains("state=online"))
				.count() == 2);
		return sentinel.master();
	}

	private ConfigurableApplicationContext instance() {
		List<String> nodes = sentinel.sentinels().stream().map((each) -> each.host() + ":" + each.port()).toList();
		return instance(Load.Listener.class,
				Stream
					.of("spring.data.redis.sentinel.master=" + sentinel.masterName(),
							"spring.data.redis.sentinel.nodes=" + String.join(",", nodes),
							"spring.data.redis.timeout=1s", "redelay.queue.resend-timeout=5m", REPLAY)
					.toArray(String[]::new));
	}

}
