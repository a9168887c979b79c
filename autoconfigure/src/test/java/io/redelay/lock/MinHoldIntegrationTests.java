package io.redelay.lock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.Redisson;
import org.redisson.api.RBucket;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for locks that are held for a time at least.
 */
class MinHoldIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String name = LockApplication.name();

	private RedissonClient client;

	private LockApplication application;

	@BeforeEach
	void start() {
		this.client = connect();
		this.application = LockApplication.start(this.client);
	}

	private static RedissonClient connect() {
		// The watchdog renews every three seconds.
		Config config = TestRedis.config().setLockWatchdogTimeout(9000);
		config.useSingleServer()
			.setAddress(redis.uri().toString())
			.setTimeout(10_000)
			.setConnectionMinimumIdleSize(1)
			.setSubscriptionConnectionPoolSize(4);
		return Redisson.create(config);
	}

	@AfterEach
	void stop() {
		this.application.close();
		this.client.shutdown();
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "READ_LOCK")
	void isHeldOnAfterTheEnd(MyLockType type) {
		LockSpec spec = spec(Duration.ofMinutes(5)).withType(type);
		assertThat(run(spec)).isEqualTo("run");
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> run(spec.withStrategy(MyLockStrategy.FAIL_FAST)));
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "READ_LOCK")
	void isFreeByItself(MyLockType type) {
		LockSpec spec = spec(Duration.ofSeconds(1)).withType(type);
		long start = System.nanoTime();
		assertThat(run(spec)).isEqualTo("run");
		assertThat(run(spec.withMinHold(Duration.ZERO).withWaitTime(Duration.ofMinutes(2)))).isEqualTo("run");
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(900));
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "READ")
	void isHeldForAsLongIfTheHolderIsKilled(LockKind kind) {
		LockSpec spec = kind.spec(this.name).withMinHold(Duration.ofMinutes(5));
		this.application.template().<String, RuntimeException>execute(spec, () -> {
			RBucket<?> lock = this.client.getBucket(kind.key(this.name));
			assertThat(lock.remainTimeToLive()).isBetween(200_000L, 300_000L);
			// A watchdog would renew it after three seconds, and shorten it.
			await().during(Duration.ofSeconds(4)).until(() -> lock.remainTimeToLive() > 100_000);
			return "run";
		});
	}

	@ParameterizedTest
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "READ")
	void isRenewedBeyondTheMinimalTime(LockKind kind) {
		LockSpec spec = kind.spec(this.name).withMinHold(Duration.ofSeconds(10)).withLeaseLost(LeaseLost.THROW);
		this.application.template().<String, RuntimeException>execute(spec, () -> {
			RBucket<?> lock = this.client.getBucket(kind.key(this.name));
			long start = System.nanoTime();
			await().until(() -> System.nanoTime() - start > TimeUnit.SECONDS.toNanos(12) && lock.isExists());
			return "run";
		});
		assertThat(this.client.getBucket(kind.key(this.name)).isExists()).isFalse();
		assertThat(this.application.eventTypes()).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void fencedLockIsHeldOnToo() {
		LockSpec spec = spec(Duration.ofMinutes(5)).withProvider("fencedLockProvider");
		run(spec);
		assertThat(this.client.getBucket("redelay:fencedLockProvider:{" + this.name + "}").remainTimeToLive())
			.isBetween(200_000L, 300_000L);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void outlivesTheApplication() {
		run(spec(Duration.ofMinutes(5)));
		this.application.close();
		this.client.shutdown();
		assertThat(redis.client().getBucket("redelay:lock:{" + this.name + "}").remainTimeToLive()).isBetween(200_000L,
				300_000L);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void watchdogDoesNotRenewWhatIsHeldOn() {
		run(spec(Duration.ofSeconds(5)));
		await().during(Duration.ofSeconds(4)).until(() -> ttl() <= 5000);
		await().until(() -> this.application.isFree(this.name));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void isReleasedAtTheEndOfWhatTakesLonger() {
		this.application.template().<String, RuntimeException>execute(spec(Duration.ofMillis(1)), () -> {
			long start = System.nanoTime();
			await().until(() -> System.nanoTime() - start > 20_000_000);
			return "run";
		});
		assertThat(this.application.isFree(this.name)).isTrue();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void isHeldOnThoughTheBodyFailed() {
		assertThatIllegalArgumentException().isThrownBy(
				() -> this.application.template().<String, RuntimeException>execute(spec(Duration.ofMinutes(5)), () -> {
					throw new IllegalArgumentException("own");
				}));
		assertThat(ttl()).isBetween(200_000L, 300_000L);
		assertThat(this.application.eventTypes()).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.RELEASED);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void longestOfThoseThatEnteredAgainCounts() {
		this.application.template()
			.<String, RuntimeException>execute(spec(Duration.ZERO), () -> run(spec(Duration.ofMinutes(5))));
		assertThat(ttl()).isBetween(200_000L, 300_000L);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void ofSeveralNamesAllAreHeldOn() {
		String other = LockApplication.name();
		run(LockSpec.of(this.name, other).withMinHold(Duration.ofMinutes(5)));
		assertThat(this.application.isFree(this.name)).isFalse();
		assertThat(this.application.isFree(other)).isFalse();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void locksThatWereTakenInVainAreNotHeldOn() {
		String other = LockApplication.name();
		Runnable release = this.application.hold(other);
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> run(LockSpec.of(this.name, other)
			.withStrategy(MyLockStrategy.FAIL_FAST)
			.withMinHold(Duration.ofMinutes(5))));
		assertThat(this.application.isFree(this.name)).isTrue();
		release.run();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void lockThatWasLostIsReportedAsLost() {
		this.application.template().<String, RuntimeException>execute(spec(Duration.ofMinutes(5)), () -> {
			this.application.lock(this.name).forceUnlock();
			return "run";
		});
		assertThat(this.application.eventTypes()).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.LOST);
		assertThat(this.application.isFree(this.name)).isTrue();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void timesThatCannotWorkAreRefused() {
		for (Runnable refused : List.<Runnable>of(() -> spec(Duration.ofMillis(-1)),
				() -> spec(Duration.ofSeconds(2)).withLeaseTime(Duration.ofSeconds(1)),
				() -> spec(Duration.ofSeconds(1)).withType(MyLockType.READ_LOCK))) {
			assertThatIllegalArgumentException().isThrownBy(refused::run).withMessageContaining("'minHold'");
		}
	}

	private long ttl() {
		return this.application.lock(this.name).remainTimeToLive();
	}

	private String run(LockSpec spec) {
		return this.application.template().<String, RuntimeException>execute(spec, () -> "run");
	}

	private LockSpec spec(Duration minHold) {
		return LockSpec.of(this.name).withMinHold(minHold);
	}

}
