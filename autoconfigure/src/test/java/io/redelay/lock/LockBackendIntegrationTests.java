package io.redelay.lock;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Tests for a Redis that goes away.
 */
class LockBackendIntegrationTests {

	@ParameterizedTest
	@EnumSource
	void isNeverBusyWhenRedisIsGone(MyLockStrategy strategy) {
		try (RedisServer server = RedisServer.start(); Client client = new Client(server)) {
			server.kill();
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> client.application.template()
				.<String, RuntimeException>execute(LockSpec.of("x").withStrategy(strategy), () -> "run"));
			assertThat(client.application.eventTypes()).containsExactly(LockEvent.Type.UNAVAILABLE);
		}
	}

	@Test
	void isNotBusyWhenThereIsNoConnectionToAskBy() {
		try (RedisServer server = RedisServer.start(); Client client = new Client(server)) {
			client.redisson.getBlockingQueue("taken").pollAsync(60, TimeUnit.SECONDS);
			assertThatExceptionOfType(LockBackendException.class).isThrownBy(() -> client.application.template()
				.<String, RuntimeException>execute(LockSpec.of("x").withStrategy(MyLockStrategy.FAIL_FAST),
						() -> "run"));
			assertThat(client.application.eventTypes()).containsExactly(LockEvent.Type.UNAVAILABLE);
		}
	}

	@Test
	void whoWaitsNoLongerForWantOfAConnectionLeavesTheQueueOfAFairLock() {
		try (RedisServer server = RedisServer.start(); Client client = new Client(server)) {
			RedissonClient other = TestRedis.connect(server.uri());
			RLock lock = other.getFairLock("redelay:lock:{x}");
			assertThat(lock.tryLockAsync(0, 60_000, TimeUnit.MILLISECONDS, 7).toCompletableFuture().join()).isTrue();
			LockSpec spec = LockSpec.of("x").withType(MyLockType.FAIR_LOCK).withWaitTime(Duration.ofMinutes(1));
			CompletableFuture<Throwable> waiter = CompletableFuture.supplyAsync(() -> catchThrowable(
					() -> client.application.template().<String, RuntimeException>execute(spec, () -> "run")));
			await().until(() -> queued(server) == 1);
			client.redisson.getBlockingQueue("taken").pollAsync(8, TimeUnit.SECONDS);
			await().until(() -> String.valueOf(server.command("CLIENT", "LIST")).contains("cmd=blpop"));
			lock.unlockAsync(7).toCompletableFuture().join();
			assertThat(waiter).succeedsWithin(Duration.ofSeconds(30)).isInstanceOf(LockBackendException.class);
			await().until(() -> queued(server) == 0);
			other.shutdown();
		}
	}

	private static long queued(RedisServer server) {
		return (Long) server.command("LLEN", "redisson_lock_queue:redelay:lock:{x}");
	}

	@Test
	void resultIsKeptIfTheReleaseFails() {
		try (RedisServer server = RedisServer.start(); Client client = new Client(server)) {
			String result = client.application.template()
				.<String, RuntimeException>execute(LockSpec.of("x").withLeaseLost(LeaseLost.THROW), () -> {
					server.kill();
					return "result";
				});
			assertThat(result).isEqualTo("result");
			assertThat(client.application.eventTypes()).containsExactly(LockEvent.Type.ACQUIRED,
					LockEvent.Type.RELEASE_FAILED);
		}
	}

	@Test
	void exceptionOfTheBodyIsKeptIfTheReleaseFails() {
		try (RedisServer server = RedisServer.start(); Client client = new Client(server)) {
			assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(
					() -> client.application.template().<String, RuntimeException>execute(LockSpec.of("x"), () -> {
						server.kill();
						throw new IllegalArgumentException("own");
					}))
				.withMessage("own");
		}
	}

	private static final class Client implements AutoCloseable {

		private final RedissonClient redisson;

		private final LockApplication application;

		Client(RedisServer server) {
			Config config = TestRedis.config();
			config.useSingleServer()
				.setAddress(server.uri().toString())
				.setConnectionMinimumIdleSize(1)
				.setConnectionPoolSize(1)
				.setTimeout(5000)
				.setConnectTimeout(5000)
				.setRetryAttempts(0);
			this.redisson = Redisson.create(config);
			this.application = LockApplication.start(this.redisson);
		}

		@Override
		public void close() {
			this.application.close();
			this.redisson.shutdown(0, 1, TimeUnit.SECONDS);
		}

	}

}
