package io.redelay.lock;

import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.test.TestRedis;
import io.redelay.test.redis.TcpFaultProxy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import org.springframework.boot.test.util.TestPropertyValues;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Tests for a Redis that goes away, with all kinds of locks.
 */
class LockBackendIntegrationTests {

	private static final Duration LEASE = Duration.ofMinutes(10);

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@EnumSource
	void isNeverBusyWhenRedisIsGone(LockKind kind) {
		try (RedisServer server = RedisServer.start();
				Client client = new Client(server.uri(), Duration.ofSeconds(2), 4)) {
			server.kill();
			assertThat(failures(client,
					Arrays.stream(MyLockStrategy.values())
						.map((strategy) -> kind.spec(strategy.name()).withStrategy(strategy))))
				.hasSize(5)
				.allSatisfy((failure) -> assertThat(failure).isInstanceOf(LockBackendException.class));
			assertThat(client.application.eventTypes()).hasSize(5).containsOnly(LockEvent.Type.UNAVAILABLE);
		}
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void isNotBusyWhenRedisGoesWhileSomebodyWaits() {
		try (RedisServer server = RedisServer.start();
				Client client = new Client(server.uri(), Duration.ofSeconds(2), 4)) {
			each((kind) -> kind.rival(client.redisson, kind.name())
				.tryLockAsync(0, 600_000, TimeUnit.MILLISECONDS, 7)
				.toCompletableFuture()
				.join());
			List<CompletableFuture<Throwable>> waiters = each(
					(kind) -> failure(client, kind.spec(kind.name()).withWaitTime(Duration.ofSeconds(10))));
			await().until(() -> ((List<?>) server.command("PUBSUB", "CHANNELS", "*redisson_*")).size() == 5);
			server.kill();
			assertThat(waiters).allSatisfy((waiter) -> assertThat(waiter).succeedsWithin(Duration.ofMinutes(1))
				.isInstanceOf(LockBackendException.class));
		}
	}

	/**
	 * Without an answer the client of Redis would wait for a minute.
	 */
	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void takesNoLongerThanTheWaitWhenRedisDoesNotAnswer() {
		try (RedisServer server = RedisServer.start();
				Client client = new Client(server.uri(), Duration.ofMinutes(1), 4)) {
			server.pause();
			assertThat(Arrays.stream(MyLockStrategy.values())
				.filter((strategy) -> strategy != MyLockStrategy.KEEP_TRYING)
				.flatMap((strategy) -> each((kind) -> failure(client, kind.spec("x").withStrategy(strategy))).stream()))
				.hasSize(20)
				.allSatisfy((failure) -> assertThat(failure).succeedsWithin(Duration.ofMinutes(1))
					.isInstanceOf(LockBackendException.class));
			server.resume();
			each((kind) -> {
				// What was asked for in vain is not left behind.
				await().untilAsserted(() -> assertThat(
						server.command("EXISTS", kind.key("x"), "redisson_lock_queue:" + kind.key("x")))
					.isEqualTo(0L));
				return kind;
			});
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void isNotBusyWhenThereIsNoConnectionToAskBy() {
		try (RedisServer server = RedisServer.start();
				Client client = new Client(server.uri(), Duration.ofSeconds(5), 1)) {
			client.redisson.getBlockingQueue("taken").pollAsync(60, TimeUnit.SECONDS);
			assertThat(failures(client,
					Arrays.stream(LockKind.values())
						.map((kind) -> kind.spec("x").withStrategy(MyLockStrategy.FAIL_FAST))))
				.allSatisfy((failure) -> assertThat(failure).isInstanceOf(LockBackendException.class));
			assertThat(client.application.eventTypes()).hasSize(5).containsOnly(LockEvent.Type.UNAVAILABLE);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aWaiterThatGivesUpForWantOfAConnectionLeavesTheQueueOfAFairLock() {
		try (RedisServer server = RedisServer.start();
				Client client = new Client(server.uri(), Duration.ofSeconds(2), 1)) {
			RedissonClient other = TestRedis.connect(server.uri());
			RLock lock = other.getFairLock("redelay:lock:{x}");
			assertThat(lock.tryLockAsync(0, 600_000, TimeUnit.MILLISECONDS, 7).toCompletableFuture().join()).isTrue();
			CompletableFuture<Throwable> waiter = failure(client,
					LockKind.FAIR.spec("x").withWaitTime(Duration.ofMinutes(1)));
			await().until(() -> queued(server) == 1);
			client.redisson.getBlockingQueue("taken").pollAsync(5, TimeUnit.SECONDS);
			await().until(() -> String.valueOf(server.command("CLIENT", "LIST")).contains("cmd=blpop"));
			lock.unlockAsync(7).toCompletableFuture().join();
			assertThat(waiter).succeedsWithin(Duration.ofMinutes(1)).isInstanceOf(LockBackendException.class);
			await().until(() -> queued(server) == 0);
			other.shutdown();
		}
	}

	private static long queued(RedisServer server) {
		return (Long) server.command("LLEN", "redisson_lock_queue:redelay:lock:{x}");
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@EnumSource(TcpFaultProxy.Direction.class)
	void releaseThatIsLostOnItsWayIsSentAgain(TcpFaultProxy.Direction lost) {
		try (RedisServer server = RedisServer.start();
				TcpFaultProxy proxy = TcpFaultProxy.to(server);
				Client client = new Client(proxy.uri(), Duration.ofSeconds(2), 4)) {
			each((kind) -> {
				LockSpec spec = kind.spec("x").withLeaseTime(LEASE).withLeaseLost(LeaseLost.THROW);
				String result = client.application.template().<String, RuntimeException>execute(spec, () -> {
					proxy.hold(lost);
					// By then the release is on its way, or the test sees nothing.
					CompletableFuture.delayedExecutor(400, TimeUnit.MILLISECONDS).execute(() -> {
						proxy.dropConnections();
						proxy.release(lost);
					});
					return "result";
				});
				assertThat(result).isEqualTo("result");
				assertThat(server.command("EXISTS", kind.key("x"))).isEqualTo(0L);
				return kind;
			});
			assertThat(client.application.eventTypes()).hasSize(10)
				.containsOnly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED);
		}
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@EnumSource
	void resultIsKeptIfTheReleaseFails(LockKind kind) {
		try (RedisServer server = RedisServer.start();
				Client client = new Client(server.uri(), Duration.ofSeconds(2), 4, Duration.ofMillis(300))) {
			String result = client.application.template()
				.<String, RuntimeException>execute(kind.spec("x").withLeaseLost(LeaseLost.THROW), () -> {
					server.kill();
					return "result";
				});
			assertThat(result).isEqualTo("result");
			assertThat(client.application.eventTypes()).containsExactly(LockEvent.Type.ACQUIRED,
					LockEvent.Type.RELEASE_FAILED);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void exceptionOfTheBodyIsKeptIfTheReleaseFails() {
		try (RedisServer server = RedisServer.start();
				Client client = new Client(server.uri(), Duration.ofSeconds(2), 4, Duration.ofMillis(300))) {
			assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(
					() -> client.application.template().<String, RuntimeException>execute(LockSpec.of("x"), () -> {
						server.kill();
						throw new IllegalArgumentException("own");
					}))
				.withMessage("own");
		}
	}

	private static <T> List<T> each(Function<LockKind, T> action) {
		return Arrays.stream(LockKind.values()).map(action).toList();
	}

	private static List<Throwable> failures(Client client, Stream<LockSpec> specs) {
		List<CompletableFuture<Throwable>> calls = specs.map((spec) -> failure(client, spec)).toList();
		return calls.stream().map(CompletableFuture::join).toList();
	}

	private static CompletableFuture<Throwable> failure(Client client, LockSpec spec) {
		return CompletableFuture.supplyAsync(
				() -> catchThrowable(
						() -> client.application.template().<String, RuntimeException>execute(spec, () -> "run")),
				(task) -> new Thread(task).start());
	}

	private static final class Client implements AutoCloseable {

		private final RedissonClient redisson;

		private final LockApplication application;

		Client(URI uri, Duration timeout, int connections) {
			this(uri, timeout, connections, Duration.ofSeconds(30));
		}

		Client(URI uri, Duration timeout, int connections, Duration releaseTimeout) {
			Config config = TestRedis.config();
			config.useSingleServer()
				.setAddress(uri.toString())
				.setConnectionMinimumIdleSize(1)
				.setConnectionPoolSize(connections)
				.setTimeout((int) timeout.toMillis())
				.setConnectTimeout(10_000)
				.setRetryAttempts(0);
			this.redisson = Redisson.create(config);
			this.application = LockApplication.start(this.redisson,
					(context) -> TestPropertyValues.of("redelay.lock.release-timeout=" + releaseTimeout)
						.applyTo(context));
		}

		@Override
		public void close() {
			this.application.close();
			this.redisson.shutdown(0, 1, TimeUnit.SECONDS);
		}

	}

}
