package io.redelay.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.test.extent.Extent;
import io.redelay.test.redis.TcpFaultProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.redisson.api.RedissonClient;

import org.springframework.boot.test.util.TestPropertyValues;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.mockito.Mockito.mock;

/**
 * Tests for answers about locks of a quorum that come late, or never, from one of three
 * servers or from the majority: what is in use stays taken, and nothing else does, on no
 * server.
 */
class QuorumAnswersIntegrationTests {

	private static final int SERVERS = 3;

	private static final Duration LONG_LEASE = Duration.ofMinutes(10);

	/**
	 * An application waits for the answer of a server for this time.
	 */
	private static final Duration TIMEOUT = Duration.ofMillis(1500);

	/**
	 * A lock without a lease of its own is renewed after a third of this time.
	 */
	private static final Duration LEASE = Duration.ofSeconds(18);

	/**
	 * A request that is sent is on its way after this time.
	 */
	private static final Duration ON_ITS_WAY = Duration.ofMillis(500);

	private final List<RedisServer> servers = IntStream.range(0, SERVERS).mapToObj((i) -> RedisServer.start()).toList();

	private final List<TcpFaultProxy> proxies = this.servers.stream().map(TcpFaultProxy::to).toList();

	private LockApplication application;

	@BeforeEach
	void start() {
		this.application = LockApplication.start(mock(RedissonClient.class), (context) -> TestPropertyValues.of(
				"redelay.lock.release-timeout=1m", "redelay.lock.quorum.timeout=" + TIMEOUT.toMillis() + "ms",
				"redelay.lock.quorum.lease-time=" + LEASE.toMillis() + "ms",
				"redelay.lock.quorum.addresses="
						+ this.proxies.stream().map((proxy) -> proxy.uri().toString()).collect(Collectors.joining(",")))
			.applyTo(context));
		// Each server knows the scripts then.
		await().ignoreExceptions().untilAsserted(() -> run(spec("x"), () -> {
			assertThat(this.servers).allMatch((server) -> isTaken(server, "x"));
		}));
		assertThatNothingIsLeft("x");
		this.application.events().clear();
	}

	@AfterEach
	void stop() {
		this.application.close();
		this.proxies.forEach(TcpFaultProxy::close);
		this.servers.forEach(RedisServer::close);
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@MethodSource("faults")
	void lockIsFreeWhateverBecameOfItsRequest(int struck, AnswerFault fault) {
		List<Duration> waits = List.of(Duration.ofMillis(500), Duration.ofMinutes(1));
		List<CompletableFuture<?>> calls = new ArrayList<>();
		strike(struck, fault, ON_ITS_WAY, () -> waits.forEach((wait) -> calls
			.add(call(spec("of-" + wait.toMillis()).withLeaseTime(LONG_LEASE).withWaitTime(wait), () -> {
			}))));
		for (CompletableFuture<?> call : calls) {
			Throwable failure = catchThrowable(() -> call.get(2, TimeUnit.MINUTES));
			if (2 * struck < SERVERS) {
				assertThat(failure).isNull();
			}
			else if (failure != null) {
				assertThat(failure).hasCauseInstanceOf(LockBackendException.class);
			}
		}
		waits.forEach((wait) -> assertThatNothingIsLeft("of-" + wait.toMillis()));
	}

	@ParameterizedTest
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	@MethodSource("faults")
	void lockIsHeldWhateverBecomesOfItsRenewal(int struck, AnswerFault fault) {
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<?> call = call(spec("x"), () -> awaitThat(end));
		await().until(() -> this.servers.stream().allMatch((server) -> isTaken(server, "x")));
		strike(struck, fault, LEASE.dividedBy(3).plus(ON_ITS_WAY), () -> {
		});
		await().until(renewal());
		await().until(renewal());
		end.countDown();
		assertThat(call).succeedsWithin(Duration.ofMinutes(2));
		assertThatNothingIsLeft("x");
		assertThat(this.application.eventTypes()).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED);
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@MethodSource("faults")
	void lockIsReleasedWhateverBecomesOfThatRequest(int struck, AnswerFault fault) {
		CountDownLatch end = new CountDownLatch(1);
		CompletableFuture<?> call = call(spec("x").withLeaseTime(LONG_LEASE), () -> awaitThat(end));
		await().until(() -> this.servers.stream().allMatch((server) -> isTaken(server, "x")));
		strike(struck, fault, ON_ITS_WAY, end::countDown);
		assertThat(call).succeedsWithin(Duration.ofMinutes(2));
		assertThatNothingIsLeft("x");
		assertThat(this.application.eventTypes()).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED);
	}

	static Stream<Arguments> faults() {
		return Extent.of(Stream.of(2), Stream.of(1, 2))
			.flatMap((struck) -> Arrays.stream(AnswerFault.values()).map((fault) -> Arguments.of(struck, fault)));
	}

	private void strike(int struck, AnswerFault fault, Duration time, Runnable requests) {
		fault.strike(this.proxies.subList(0, struck), TIMEOUT, requests, time);
	}

	private CompletableFuture<?> call(LockSpec spec, Runnable body) {
		return CompletableFuture.runAsync(() -> run(spec, body), (task) -> new Thread(task).start());
	}

	private void run(LockSpec spec, Runnable body) {
		this.application.template().<String, RuntimeException>execute(spec.withLeaseLost(LeaseLost.THROW), () -> {
			body.run();
			return "run";
		});
	}

	private static LockSpec spec(String name) {
		return LockSpec.of(name).withProvider("quorum");
	}

	private static boolean isTaken(RedisServer server, String name) {
		return server.command("EXISTS", key(name)).equals(1L);
	}

	private static String key(String name) {
		return "redelay:quorum:{" + name + "}";
	}

	private static void awaitThat(CountDownLatch end) {
		try {
			assertThat(end.await(2, TimeUnit.MINUTES)).isTrue();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * A request that is on its way yet would take its lock later.
	 */
	private void assertThatNothingIsLeft(String name) {
		await().during(Duration.ofSeconds(1))
			.untilAsserted(() -> assertThat(this.servers).noneMatch((server) -> isTaken(server, name)));
	}

	/**
	 * Returns whether the lock has been renewed on all servers since now.
	 */
	private Callable<Boolean> renewal() {
		long[] shortest = new long[SERVERS];
		Arrays.fill(shortest, Long.MAX_VALUE);
		boolean[] renewed = new boolean[SERVERS];
		return () -> {
			for (int i = 0; i < SERVERS; i++) {
				long ttl = (Long) this.servers.get(i).command("PTTL", key("x"));
				renewed[i] |= ttl > shortest[i];
				shortest[i] = Math.min(shortest[i], ttl);
			}
			return IntStream.range(0, SERVERS).allMatch((i) -> renewed[i]);
		};
	}

}
