package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.redelay.queue.admin.QueueSnapshot;
import io.redelay.queue.admin.QueueSnapshots;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.client.codec.StringCodec;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link QueueSnapshotCache}.
 */
class QueueSnapshotCacheIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void aQueueThatFailsIsLoggedAndDoesNotKeepTheLookFromTheOthers(CapturedLog log) {
		String prefix = "looks-" + UUID.randomUUID();
		String failing = TestRedis.queue();
		String other = TestRedis.queue();
		VirtualTime time = new VirtualTime();
		ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.key-prefix", prefix)
			.start();
				AdminScripts store = new AdminScripts(redis.client(), prefix, Duration.ofSeconds(10), timer,
						new ReplayMemory(Duration.ZERO, 0, (rollback) -> {
						}, time), new RedisAvailability(timer))) {
			application.queues().send(failing, "x");
			application.queues().send(other, "x");
			QueueSnapshotCache cache = new QueueSnapshotCache(store, JsonMapper.shared());
			QueueSnapshots.Look first = cache.latest();
			String tries = prefix + ":{" + failing + "}:tries";
			redis.client().getBucket(tries, StringCodec.INSTANCE).set("no hash");
			application.queues().send(failing, "y");
			application.queues().send(other, "y");
			time.advance(Duration.ofMinutes(1));
			QueueSnapshots.Look second = cache.latest();
			assertThat(second.queues().get(failing)).isSameAs(first.queues().get(failing));
			assertThat(ready(second, other)).isEqualTo(2);
			assertThat(second.failed()).containsExactly(failing);
			assertThat(log.entriesWith("WARN", "It was not looked at the queue '" + failing + "'", "WRONGTYPE"))
				.hasSize(1);
			redis.client().getKeys().delete(tries);
			time.advance(Duration.ofMinutes(1));
			assertThat(ready(cache.latest(), failing)).isEqualTo(2);
		}
		finally {
			timer.shutdown();
		}
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void aQueueThatFailsBeforeTheFirstLookDoesNotKeepItFromTheOthersEither(CapturedLog log) {
		String prefix = "looks-" + UUID.randomUUID();
		String failing = TestRedis.queue();
		String other = TestRedis.queue();
		ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
		VirtualTime time = new VirtualTime();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.key-prefix", prefix)
			.start();
				AdminScripts store = new AdminScripts(redis.client(), prefix, Duration.ofSeconds(10), timer,
						new ReplayMemory(Duration.ZERO, 0, (rollback) -> {
						}, time), new RedisAvailability(timer))) {
			application.queues().send(failing, "x");
			application.queues().send(other, "x");
			String tries = prefix + ":{" + failing + "}:tries";
			redis.client().getBucket(tries, StringCodec.INSTANCE).set("no hash");
			QueueSnapshotCache cache = new QueueSnapshotCache(store, JsonMapper.shared());
			QueueSnapshots.Look first = cache.latest();
			assertThat(first.queues()).containsOnlyKeys(other);
			assertThat(first.failed()).containsExactly(failing);
			assertThat(log.entriesWith("WARN", "It was not looked at the queue '" + failing + "'", "WRONGTYPE"))
				.hasSize(1);
			redis.client().getKeys().delete(tries);
			time.advance(Duration.ofMinutes(1));
			QueueSnapshots.Look second = cache.latest();
			assertThat(ready(second, failing)).isOne();
			assertThat(second.failed()).isEmpty();
		}
		finally {
			timer.shutdown();
		}
	}

	private static long ready(QueueSnapshots.Look look, String queue) {
		QueueSnapshot snapshot = look.queues().get(queue);
		return snapshot.info().ready();
	}

}
