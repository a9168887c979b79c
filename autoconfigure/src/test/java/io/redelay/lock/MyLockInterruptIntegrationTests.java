package io.redelay.lock;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for threads that are interrupted before, while and after they wait for a lock.
 */
class MyLockInterruptIntegrationTests {

	private static final Duration WATCHDOG = Duration.ofMillis(900);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static RedissonClient client;

	private static LockApplication application;

	private final String name = LockApplication.name();

	@BeforeAll
	static void start() {
		Config config = TestRedis.config().setLockWatchdogTimeout(WATCHDOG.toMillis());
		config.useSingleServer().setAddress(redis.uri().toString()).setTimeout(10_000).setConnectionMinimumIdleSize(1);
		client = Redisson.create(config);
		application = LockApplication.start(client);
	}

	@AfterAll
	static void stop() {
		application.close();
		client.shutdown();
	}

	@AfterEach
	void clearFlag() {
		Thread.interrupted();
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@EnumSource
	void interruptFlagSetBefore(MyLockStrategy strategy) {
		AtomicInteger runs = new AtomicInteger();
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockInterruptedException.class)
			.isThrownBy(() -> execute(spec(strategy), runs::incrementAndGet))
			.withCauseInstanceOf(InterruptedException.class);
		assertThat(Thread.interrupted()).isTrue();
		assertThat(runs).hasValue(0);
		assertNoKeyIsLeft();
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@EnumSource(names = { "KEEP_TRYING", "SKIP_AFTER_RETRY_TIMEOUT", "FAIL_AFTER_RETRY_TIMEOUT" })
	void interruptedWhileWaiting(MyLockStrategy strategy) {
		for (MyLockType type : MyLockType.values()) {
			RLock held = type.family().equals("lock") ? application.lock(this.name)
					: client.getReadWriteLock("redelay:rwlock:{" + this.name + "}").writeLock();
			Runnable release = application.hold(held);
			AtomicReference<Throwable> thrown = new AtomicReference<>();
			AtomicInteger flags = new AtomicInteger();
			Thread waiting = new Thread(() -> {
				try {
					execute(spec(strategy).withType(type), flags::incrementAndGet);
				}
				catch (Throwable ex) {
					thrown.set(ex);
				}
				if (Thread.currentThread().isInterrupted()) {
					flags.addAndGet(100);
				}
			});
			waiting.start();
			await().until(() -> waiting.getState() == Thread.State.WAITING
					|| waiting.getState() == Thread.State.TIMED_WAITING);
			waiting.interrupt();
			await().untilAsserted(() -> assertThat(thrown.get()).isInstanceOf(LockInterruptedException.class));
			await().until(() -> !waiting.isAlive());
			assertThat(flags).hasValue(100);
			release.run();
		}
		assertNoKeyIsLeft();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void interruptFlagSetByTheBody() {
		String result = execute(spec(MyLockStrategy.FAIL_FAST), () -> {
			Thread.currentThread().interrupt();
			return "result";
		});
		assertThat(result).isEqualTo("result");
		assertThat(Thread.interrupted()).isTrue();
		assertThat(application.isFree(this.name)).isTrue();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void manyInterruptedAcquiresLeaveNoKey() throws Exception {
		String prefix = this.name;
		Runnable release = application.hold(prefix + 0);
		Thread[] threads = new Thread[8];
		CountDownLatch over = new CountDownLatch(threads.length);
		AtomicInteger outcomes = new AtomicInteger();
		for (int i = 0; i < threads.length; i++) {
			threads[i] = new Thread(() -> {
				try {
					for (int round = 0; round < 375; round++) {
						try {
							execute(LockSpec.of(prefix + (round % 3)).withStrategy(MyLockStrategy.KEEP_TRYING),
									() -> "");
						}
						catch (LockInterruptedException ex) {
							Thread.interrupted();
						}
						Thread.interrupted();
						outcomes.incrementAndGet();
					}
				}
				finally {
					over.countDown();
				}
			});
			threads[i].start();
		}
		while (over.getCount() > 0) {
			for (Thread thread : threads) {
				thread.interrupt();
			}
			Thread.onSpinWait();
		}
		assertThat(outcomes).hasValue(3000);
		release.run();
		await().during(WATCHDOG.multipliedBy(2))
			.until(() -> client.getKeys().countExists(key(prefix + 0), key(prefix + 1), key(prefix + 2)) == 0);
	}

	private static String key(String name) {
		return "redelay:lock:{" + name + "}";
	}

	private LockSpec spec(MyLockStrategy strategy) {
		return LockSpec.of(this.name).withStrategy(strategy).withWaitTime(Duration.ofSeconds(30));
	}

	private static <T> T execute(LockSpec spec, LockedCallback<T, RuntimeException> body) {
		return application.template().execute(spec, body);
	}

	private void assertNoKeyIsLeft() {
		await().during(WATCHDOG.multipliedBy(2))
			.until(() -> client.getKeys()
				.countExists(key(this.name), "redelay:rwlock:{" + this.name + "}",
						"redisson_lock_queue:{" + this.name + "}", "redisson_lock_queue:" + key(this.name)) == 0);
	}

}
