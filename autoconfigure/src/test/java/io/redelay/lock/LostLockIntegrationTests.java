package io.redelay.lock;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.api.RLock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for locks of all kinds that are lost while what they protect runs.
 */
class LostLockIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final long RIVAL = 77;

	private static final Duration SHORT = Duration.ofMillis(200);

	private final String name = LockApplication.name();

	private LockApplication application;

	@BeforeEach
	void start() {
		this.application = LockApplication.start(redis.client());
	}

	@AfterEach
	void stop() {
		this.application.close();
	}

	@ParameterizedTest
	@EnumSource
	void lockThatAnotherTookAfterTheLeaseIsToldAndNotTouched(LockKind kind) {
		assertThat(execute(kind.spec(this.name).withLeaseTime(SHORT), () -> outlive(kind))).isEqualTo("result");
		assertThat(kind.rival(redis.client(), this.name).isHeldByThread(RIVAL)).isTrue();
		assertThatIsToldAsLost();
	}

	@ParameterizedTest
	@EnumSource
	void lockThatAnotherTookAndGaveBackAfterTheLeaseIsTold(LockKind kind) {
		execute(kind.spec(this.name).withLeaseTime(SHORT), () -> {
			String result = outlive(kind);
			kind.rival(redis.client(), this.name).unlockAsync(RIVAL).toCompletableFuture().join();
			return result;
		});
		assertThatIsToldAsLost();
	}

	@ParameterizedTest
	@EnumSource
	void lockThatRedisForgotIsToldAndThrown(LockKind kind) {
		LockSpec spec = kind.spec(this.name).withLeaseLost(LeaseLost.THROW);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> execute(spec, () -> forget(kind)))
			.withMessageContaining(this.name);
		assertThatIsToldAsLost();
	}

	@ParameterizedTest
	@EnumSource
	void exceptionOfTheBodyIsNotReplaced(LockKind kind) {
		LockSpec spec = kind.spec(this.name).withLeaseLost(LeaseLost.THROW);
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> execute(spec, () -> {
			forget(kind);
			throw new IllegalArgumentException("own");
		})).withMessage("own").withNoCause();
		assertThatIsToldAsLost();
	}

	private void assertThatIsToldAsLost() {
		assertThat(this.application.eventTypes()).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.LOST);
	}

	/**
	 * Runs until the lease is over and another has the lock.
	 */
	private String outlive(LockKind kind) {
		RLock rival = kind.rival(redis.client(), this.name);
		assertThat(rival.tryLockAsync(20_000, 60_000, TimeUnit.MILLISECONDS, RIVAL).toCompletableFuture().join())
			.isTrue();
		return "result";
	}

	/**
	 * Loses what Redis knows of the lock.
	 */
	private String forget(LockKind kind) {
		assertThat(redis.client().getKeys().delete(kind.key(this.name))).isOne();
		return "result";
	}

	private <T> T execute(LockSpec spec, LockedCallback<T, RuntimeException> body) {
		return this.application.template().execute(spec, body);
	}

}
