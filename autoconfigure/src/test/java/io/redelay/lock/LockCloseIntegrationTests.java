package io.redelay.lock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.redelay.test.TestRedis;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.api.RLock;
import reactor.core.publisher.Mono;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for who waits for a lock of any kind when the application closes.
 */
class LockCloseIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final long RIVAL = 77;

	private final String name = LockApplication.name();

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@EnumSource
	void aWaitingCallerGetsAnException(LockKind kind) {
		RLock rival = kind.rival(redis.client(), this.name);
		rival.tryLockAsync(0, 600_000, TimeUnit.MILLISECONDS, RIVAL).toCompletableFuture().join();
		LockApplication application = LockApplication.start(redis.client());
		LockTemplate template = application.template();
		LockSpec endless = kind.spec(this.name).withStrategy(MyLockStrategy.KEEP_TRYING);
		LockSpec skipping = kind.spec(this.name)
			.withStrategy(MyLockStrategy.SKIP_AFTER_RETRY_TIMEOUT)
			.withWaitTime(Duration.ofMinutes(5));
		List<Thread> threads = new ArrayList<>();
		CompletableFuture<String> publisher = new LockedPublishers(template)
			.lock(() -> endless, () -> Mono.just("run"), (failure, delivering) -> Mono.just("skipped"))
			.single()
			.toFuture();
		List<CompletableFuture<String>> waiters = List.of(execute(template, endless, threads),
				execute(template, skipping, threads), publisher);
		await().until(() -> threads.stream().map(Thread::getState).allMatch(LockCloseIntegrationTests::isWaiting));
		application.close();
		assertThat(waiters).allSatisfy((waiter) -> assertThat(waiter).failsWithin(Duration.ofMinutes(1))
			.withThrowableThat()
			.havingCause()
			.isInstanceOf(LockInterruptedException.class)
			.withMessageContaining(this.name)
			.withMessageContaining("closed"));
		rival.unlockAsync(RIVAL).toCompletableFuture().join();
		await().during(Duration.ofMillis(700))
			.until(() -> redis.client()
				.getKeys()
				.countExists(kind.key(this.name), "redisson_lock_queue:" + kind.key(this.name)) == 0);
	}

	@ParameterizedTest
	@Execution(ExecutionMode.CONCURRENT)
	@EnumSource
	void whatRunsGoesOnAndReleasesTheLock(LockKind kind) {
		LockApplication application = LockApplication.start(redis.client());
		LockTemplate template = application.template();
		String result = template.<String, RuntimeException>execute(kind.spec(this.name), () -> {
			application.close();
			assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(
					() -> template.<String, RuntimeException>execute(kind.spec(this.name + "-other"), () -> "other"));
			return template.<String, RuntimeException>execute(kind.spec(this.name), () -> "entered again");
		});
		assertThat(result).isEqualTo("entered again");
		assertThat(redis.client().getKeys().countExists(kind.key(this.name))).isZero();
	}

	private static boolean isWaiting(Thread.State state) {
		return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
	}

	private static CompletableFuture<String> execute(LockTemplate template, LockSpec spec, List<Thread> threads) {
		return CompletableFuture.supplyAsync(() -> template.<String, RuntimeException>execute(spec, () -> "run"),
				(task) -> {
					Thread thread = new Thread(task);
					thread.setDaemon(true);
					threads.add(thread);
					thread.start();
				});
	}

}
