package io.redelay.queue.script.admin;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.admin.TroubleKey.Turn.State;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.StoreWorkbench;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Integration tests for the turn to watch queues for trouble.
 */
class TroubleKeyIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static final Duration LONG = Duration.ofMinutes(1);

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	private final AdminScripts admin = new AdminScripts(redis.client(), "redelay", Duration.ofSeconds(10), timer,
			ReplayMemory.NONE, new RedisAvailability(timer));

	private final TroubleKey key = new TroubleKey(this.admin.runner(), "shop {1} " + UUID.randomUUID());

	@Test
	void oneInstanceHasTheTurnAndTheNextGetsWhatItRecorded() {
		assertThat(take("one", 1, LONG, Map.of("ignored", "x")).state()).isEqualTo(State.TAKEN);
		assertThat(take("one", 2, LONG, Map.of("a", "x", "b", "y")).state()).isEqualTo(State.OK);
		TroubleKey.Turn refused = take("other", 1, LONG, Map.of("c", "z"));
		assertThat(refused.state()).isEqualTo(State.OTHER);
		assertThat(refused.left()).isBetween(Duration.ofSeconds(1), LONG);
		assertThat(take("one", 3, Duration.ZERO, Map.of("b", "y")).state()).isEqualTo(State.OK);
		TroubleKey.Turn taken = take("other", 2, LONG, Map.of("c", "z"));
		assertThat(taken.state()).isEqualTo(State.TAKEN);
		assertThat(taken.kept()).containsOnly(Map.entry("b", "y"));
	}

	@Test
	void aRequestThatArrivesLateChangesNothing() {
		take("one", 1, LONG, Map.of());
		take("one", 3, LONG, Map.of("new", "x"));
		TroubleKey.Turn late = take("one", 2, Duration.ZERO, Map.of("old", "x"));
		assertThat(late.state()).isEqualTo(State.TAKEN);
		assertThat(late.kept()).containsOnlyKeys("new");
		assertThat(take("other", 1, LONG, Map.of()).state()).isEqualTo(State.OTHER);
		take("one", 4, Duration.ZERO, Map.of("new", "x"));
		assertThat(take("other", 2, LONG, Map.of()).kept()).containsOnlyKeys("new");
	}

	@Test
	void theTurnIsOverWithItsLease() {
		take("one", 1, Duration.ofMillis(100), Map.of());
		await().until(() -> take("other", 1, LONG, Map.of()).state() == State.TAKEN);
		assertThat(take("one", 2, LONG, Map.of()).state()).isEqualTo(State.OTHER);
	}

	@Test
	void asManyTroublesAsThereMayBeAreRecordedAndExpire() {
		Map<String, String> many = IntStream.range(0, 1000)
			.boxed()
			.collect(Collectors.toMap((i) -> "queue-" + i, (i) -> "trouble"));
		take("one", 1, LONG, Map.of());
		take("one", 2, Duration.ZERO, many);
		assertThat(take("other", 1, LONG, Map.of()).kept()).isEqualTo(many);
		assertThat(redis.client().getMap("redelay:trouble:" + this.key.group()).remainTimeToLive())
			.isBetween(Duration.ofHours(23).toMillis(), Duration.ofHours(25).toMillis());
	}

	private TroubleKey.Turn take(String owner, long number, Duration lease, Map<String, String> troubles) {
		return StoreWorkbench.get(this.key.take(new TroubleKey.Request(owner, number, lease, troubles)));
	}

}
