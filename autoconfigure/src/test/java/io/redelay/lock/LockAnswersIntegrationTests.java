package io.redelay.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.redisson.ClosedConnectionHook;
import io.redelay.test.TestRedis;
import io.redelay.test.extent.Extent;
import io.redelay.test.redis.TcpFaultProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.ConstantDelay;

import org.springframework.boot.test.util.TestPropertyValues;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

/**
 * Tests for answers about locks of all kinds that come late, or never: what is in use
 * stays taken, and nothing else does.
 */
class LockAnswersIntegrationTests {

	private static final Duration LEASE = Duration.ofMinutes(10);

	/**
	 * The client of Redis waits for an answer for this time.
	 */
	private static final Duration TIMEOUT = Duration.ofMillis(1500);

	/**
	 * Redisson renews a lock after a third of this time.
	 */
	private static final Duration WATCHDOG = Duration.ofSeconds(12);

	/**
	 * A request that is sent is on its way after this time.
	 */
	private static final Duration ON_ITS_WAY = Duration.ofMillis(500);

	private final RedisServer server = RedisServer.start();

	private final TcpFaultProxy proxy = TcpFaultProxy.to(this.server);

	private RedisServer replica;

	private RedissonClient client;

	private LockApplication application;

	@AfterEach
	void stop() {
		this.application.close();
		this.client.shutdown(0, 1, TimeUnit.SECONDS);
		this.proxy.close();
		this.server.close();
		if (this.replica != null) {
			this.replica.close();
		}
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@MethodSource("faults")
	void lockIsFreeWhateverBecameOfItsRequest(Setup setup, AnswerFault fault) {
		start(setup);
		List<CompletableFuture<?>> calls = new ArrayList<>();
		List<Duration> waits = List.of(Duration.ofMillis(500), Duration.ofMinutes(1));
		fault.strike(List.of(this.proxy), TIMEOUT, () -> waits.forEach((wait) -> calls.addAll(each((kind) -> {
			LockSpec spec = spec(kind, "of-" + wait.toMillis()).withLeaseTime(LEASE).withWaitTime(wait);
			assertThat(catchThrowable(() -> run(spec, () -> {
			}))).satisfiesAnyOf((none) -> assertThat(none).isNull(),
					(failure) -> assertThat(failure).isInstanceOf(LockBackendException.class));
		}))), ON_ITS_WAY);
		assertThatTheyEnd(calls);
		waits.forEach((wait) -> assertThatNothingIsLeft("of-" + wait.toMillis()));
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@MethodSource("faults")
	void lockIsHeldWhateverBecomesOfItsRenewal(Setup setup, AnswerFault fault) {
		start(setup);
		CountDownLatch end = new CountDownLatch(1);
		List<CompletableFuture<?>> calls = each((kind) -> run(spec(kind, "x"), () -> awaitThat(end)));
		await().until(() -> areTaken("x"));
		fault.strike(List.of(this.proxy), TIMEOUT, () -> {
		}, WATCHDOG.dividedBy(3).plus(ON_ITS_WAY));
		await().until(renewal());
		await().until(renewal());
		end.countDown();
		assertThatTheyEnd(calls);
		assertThatNothingIsLeft("x");
		assertThatAllWereReleased();
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@MethodSource("faults")
	void lockIsReleasedWhateverBecomesOfThatRequest(Setup setup, AnswerFault fault) {
		start(setup);
		CountDownLatch end = new CountDownLatch(1);
		List<CompletableFuture<?>> calls = each(
				(kind) -> run(spec(kind, "x").withLeaseTime(LEASE), () -> awaitThat(end)));
		await().until(() -> areTaken("x"));
		fault.strike(List.of(this.proxy), TIMEOUT, end::countDown, ON_ITS_WAY);
		assertThatTheyEnd(calls);
		assertThatNothingIsLeft("x");
		assertThatAllWereReleased();
	}

	static Stream<Arguments> faults() {
		return Extent.of(Stream.of(Setup.SINGLE), Arrays.stream(Setup.values()))
			.flatMap((setup) -> Arrays.stream(AnswerFault.values()).map((fault) -> Arguments.of(setup, fault)));
	}

	private void start(Setup setup) {
		Config config = TestRedis.config().setLockWatchdogTimeout(WATCHDOG.toMillis());
		ClosedConnectionHook.install(config);
		if (setup == Setup.REPLICATED) {
			this.replica = RedisServer.builder()
				.config("replicaof " + this.server.host() + " " + this.server.port())
				.start();
			await().until(() -> String.valueOf(this.server.command("INFO", "replication")).contains("state=online"));
			config.useReplicatedServers()
				.addNodeAddress(this.proxy.uri().toString(), this.replica.uri().toString())
				.setMasterConnectionMinimumIdleSize(24)
				.setSlaveConnectionMinimumIdleSize(1)
				.setTimeout((int) TIMEOUT.toMillis())
				.setRetryDelay(new ConstantDelay(Duration.ofMillis(100)));
		}
		else {
			config.useSingleServer()
				.setAddress(this.proxy.uri().toString())
				.setConnectionMinimumIdleSize(24)
				.setTimeout((int) TIMEOUT.toMillis());
		}
		this.client = Redisson.create(config);
		this.application = LockApplication.start(this.client,
				(context) -> TestPropertyValues.of("redelay.lock.release-timeout=1m").applyTo(context));
		// Has Redis know the scripts.
		assertThatTheyEnd(each((kind) -> run(spec(kind, "x"), () -> {
		})));
		this.application.events().clear();
	}

	private void run(LockSpec spec, Runnable body) {
		this.application.template().<String, RuntimeException>execute(spec.withLeaseLost(LeaseLost.THROW), () -> {
			body.run();
			return "run";
		});
	}

	/**
	 * Kinds share keys, so that each has names of its own.
	 */
	private static LockSpec spec(LockKind kind, String name) {
		return kind.spec(kind + "-" + name);
	}

	private static String key(LockKind kind, String name) {
		return kind.key(kind + "-" + name);
	}

	private static List<CompletableFuture<?>> each(Consumer<LockKind> action) {
		return Arrays.stream(LockKind.values())
			.<CompletableFuture<?>>map(
					(kind) -> CompletableFuture.runAsync(() -> action.accept(kind), (task) -> new Thread(task).start()))
			.toList();
	}

	private static void awaitThat(CountDownLatch end) {
		try {
			assertThat(end.await(2, TimeUnit.MINUTES)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void assertThatTheyEnd(List<CompletableFuture<?>> calls) {
		assertThat(calls).allSatisfy((call) -> assertThat(call).succeedsWithin(Duration.ofMinutes(2)));
	}

	/**
	 * A request that is on its way yet would take its lock later.
	 */
	private void assertThatNothingIsLeft(String name) {
		await().during(Duration.ofSeconds(1)).untilAsserted(() -> assertThat(LockKind.values()).allSatisfy((kind) -> {
			assertThat(this.server.command("HGETALL", key(kind, name))).asInstanceOf(LIST).isEmpty();
			assertThat(this.server.command("LLEN", "redisson_lock_queue:" + key(kind, name))).isEqualTo(0L);
		}));
	}

	private void assertThatAllWereReleased() {
		assertThat(this.application.eventTypes()).hasSize(2 * LockKind.values().length)
			.containsOnly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED);
	}

	private boolean areTaken(String name) {
		return Arrays.stream(LockKind.values())
			.allMatch((kind) -> this.server.command("EXISTS", key(kind, name)).equals(1L));
	}

	/**
	 * Returns whether all locks have been renewed since now.
	 */
	private Callable<Boolean> renewal() {
		Map<LockKind, Long> shortest = new EnumMap<>(LockKind.class);
		Set<LockKind> renewed = EnumSet.noneOf(LockKind.class);
		return () -> {
			for (LockKind kind : LockKind.values()) {
				long ttl = (Long) this.server.command("PTTL", key(kind, "x"));
				if (ttl > shortest.merge(kind, ttl, Math::min)) {
					renewed.add(kind);
				}
			}
			return renewed.size() == LockKind.values().length;
		};
	}

	private enum Setup {

		SINGLE, REPLICATED

	}

}
