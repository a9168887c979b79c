package io.redelay.lock;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.redelay.test.TestRedis;
import io.redelay.test.redis.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for locks on a cluster of three masters with a replica each.
 */
class LockClusterIntegrationTests {

	private static RedisCluster cluster;

	private static RedissonClient client;

	private static LockApplication application;

	@BeforeAll
	static void start() {
		cluster = RedisCluster.builder().nodeTimeout(Duration.ofSeconds(15)).start();
		Config config = TestRedis.config().setSlavesSyncTimeout(10_000);
		config.useClusterServers()
			.addNodeAddress(cluster.nodes().stream().map((node) -> node.uri().toString()).toArray(String[]::new))
			.setMasterConnectionPoolSize(8)
			.setMasterConnectionMinimumIdleSize(1)
			.setSlaveConnectionMinimumIdleSize(1)
			.setSubscriptionConnectionMinimumIdleSize(1);
		client = Redisson.create(config);
		application = LockApplication.start(client);
	}

	@AfterAll
	static void stop() {
		application.close();
		client.shutdown();
		cluster.close();
	}

	@ParameterizedTest
	@EnumSource
	void takesAllNamesThoughTheyAreOnDifferentMasters(MyLockType type) {
		String[] names = onDifferentMasters();
		LockSpec spec = LockSpec.of(names).withType(type).withStrategy(MyLockStrategy.FAIL_FAST);
		execute(spec, () -> {
			assertThat(keys(type, names))
				.allSatisfy((key) -> assertThat(client.getKeys().remainTimeToLive(key)).as(key).isPositive());
			return "";
		});
		assertNoneIsLeft(type, names);
	}

	@ParameterizedTest
	@EnumSource
	void takesNoneIfTheLastIsBusy(MyLockType type) {
		String[] names = onDifferentMasters();
		String last = Arrays.stream(names).sorted().reduce((one, other) -> other).orElseThrow();
		Runnable release = application.hold(type.family().equals("lock") ? application.lock(last)
				: client.getReadWriteLock("redelay:rwlock:{" + last + "}").writeLock());
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(
				() -> execute(LockSpec.of(names).withType(type).withWaitTime(Duration.ofMillis(100)), () -> "run"));
		assertThat(keys(type, names)).filteredOn((key) -> client.getKeys().countExists(key) > 0)
			.singleElement()
			.asString()
			.contains(last);
		release.run();
		assertThat(execute(LockSpec.of(names).withType(type), () -> "run")).isEqualTo("run");
		assertNoneIsLeft(type, names);
	}

	@Test
	void waitsForAReleaseOnAnotherMaster() {
		String[] names = onDifferentMasters();
		List<CompletableFuture<String>> all = IntStream.range(0, 12)
			.mapToObj(
					(i) -> CompletableFuture.supplyAsync(
							() -> execute(LockSpec.of(names[i % 3], names[(i + 1) % 3])
								.withStrategy(MyLockStrategy.KEEP_TRYING), () -> "run"),
							(task) -> new Thread(task).start()))
			.toList();
		assertThat(all).allSatisfy((each) -> assertThat(each).succeedsWithin(Duration.ofMinutes(1)));
	}

	private static String[] onDifferentMasters() {
		String prefix = LockApplication.name();
		return cluster.nodes()
			.stream()
			.flatMap((node) -> IntStream.range(0, 100)
				.mapToObj((i) -> prefix + i)
				.filter((name) -> cluster.masterOf("{" + name + "}").port() == node.port())
				.limit(1))
			.toArray(String[]::new);
	}

	private static List<String> keys(MyLockType type, String... names) {
		assertThat(names).hasSize(3);
		return Arrays.stream(names).map((name) -> "redelay:" + type.family() + ":{" + name + "}").toList();
	}

	private static void assertNoneIsLeft(MyLockType type, String... names) {
		assertThat(keys(type, names)).allSatisfy((key) -> assertThat(client.getKeys().countExists(key)).isZero());
	}

	private static <T> T execute(LockSpec spec, LockedCallback<T, RuntimeException> body) {
		return application.template().execute(spec, body);
	}

}
