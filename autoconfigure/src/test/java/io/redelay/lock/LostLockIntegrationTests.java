package io.redelay.lock;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.redelay.test.CapturedLog;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.api.RLock;
import org.redisson.client.codec.StringCodec;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for locks of all kinds that are lost while what they protect runs.
 */
@ExtendWith(CapturedLog.Extension.class)
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
	void lockThatAnotherTookAfterTheLeaseIsReportedAndNotTouched(LockKind kind) {
		assertThat(execute(kind.spec(this.name).withLeaseTime(SHORT), () -> outlive(kind))).isEqualTo("result");
		assertThat(kind.rival(redis.client(), this.name).isHeldByThread(RIVAL)).isTrue();
		assertThatIsReportedAsLost();
	}

	@ParameterizedTest
	@EnumSource
	void lockThatAnotherTookAndGaveBackAfterTheLeaseIsReported(LockKind kind) {
		execute(kind.spec(this.name).withLeaseTime(SHORT), () -> {
			String result = outlive(kind);
			kind.rival(redis.client(), this.name).unlockAsync(RIVAL).toCompletableFuture().join();
			return result;
		});
		assertThatIsReportedAsLost();
	}

	@ParameterizedTest
	@EnumSource
	void lockThatRedisForgotIsReportedAndThrown(LockKind kind) {
		LockSpec spec = kind.spec(this.name).withLeaseLost(LeaseLost.THROW);
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> execute(spec, () -> forget(kind)))
			.withMessageContaining(this.name);
		assertThatIsReportedAsLost();
	}

	@ParameterizedTest
	@EnumSource
	void exceptionOfTheBodyIsNotReplaced(LockKind kind) {
		LockSpec spec = kind.spec(this.name).withLeaseLost(LeaseLost.THROW);
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(() -> execute(spec, () -> {
			forget(kind);
			throw new IllegalArgumentException("own");
		})).withMessage("own").withNoCause();
		assertThatIsReportedAsLost();
	}

	@ParameterizedTest
	@EnumSource
	void lossIsThrownByPublishers(LockKind kind) {
		LockedPublishers publishers = new LockedPublishers(this.application.template());
		Flux<String> flux = publishers.lock(() -> throwing(kind),
				() -> Flux.just("a", "b").doOnComplete(() -> forget(kind)), (failure, delivering) -> Mono.empty());
		List<String> seen = new CopyOnWriteArrayList<>();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> flux.doOnNext(seen::add).blockLast());
		assertThat(seen).containsExactly("a", "b");
		Flux<String> mono = publishers.lock(() -> throwing(kind), () -> Mono.fromSupplier(() -> forget(kind)),
				(failure, delivering) -> Mono.empty());
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> mono.singleOrEmpty().block());
		Flux<String> failing = publishers.lock(() -> throwing(kind), () -> Mono.error(() -> {
			forget(kind);
			return new IllegalArgumentException("own");
		}), (failure, delivering) -> Mono.empty());
		assertThatExceptionOfType(IllegalArgumentException.class).isThrownBy(failing::blockLast).withMessage("own");
	}

	@ParameterizedTest
	@EnumSource
	void lossIsThrownByStagesOfAnyClass(LockKind kind) {
		for (int i = 0; i < 3; i++) {
			CompletableFuture<String> source = new CompletableFuture<>();
			CompletionStage<String> stage = switch (i) {
				case 0 -> source;
				case 1 -> Mono.fromFuture(source).toFuture();
				default -> source.minimalCompletionStage();
			};
			CompletionStage<String> result = execute(throwing(kind), () -> stage);
			source.complete(forget(kind));
			assertThat(result.toCompletableFuture()).failsWithin(Duration.ofMinutes(1))
				.withThrowableThat()
				.withCauseInstanceOf(LockLostException.class);
		}
	}

	@ParameterizedTest
	@EnumSource
	void lossInATransactionOfTheCallerRollsItBack(LockKind kind) {
		TransactionTemplate transaction = new TransactionTemplate(
				new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:lost-locks")));
		List<Integer> ends = new CopyOnWriteArrayList<>();
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
				record(ends);
				execute(throwing(kind), () -> forget(kind));
			}));
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
				record(ends);
				assertThat(execute(throwing(kind), () -> CompletableFuture.completedFuture(forget(kind))))
					.isCompletedWithValue("result");
			}));
		transaction.executeWithoutResult((status) -> {
			record(ends);
			execute(throwing(kind), () -> "kept");
		});
		assertThat(ends).containsExactly(TransactionSynchronization.STATUS_ROLLED_BACK,
				TransactionSynchronization.STATUS_ROLLED_BACK, TransactionSynchronization.STATUS_COMMITTED);
	}

	private static void record(List<Integer> ends) {
		TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

			@Override
			public void afterCompletion(int status) {
				ends.add(status);
			}

		});
	}

	@ParameterizedTest
	@EnumSource
	void lossUnderAnOuterCallIsThrownByTheInnerOne(LockKind kind) {
		LockSpec outer = kind.spec(this.name).withLeaseTime(SHORT);
		assertThat(execute(outer, () -> {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> execute(throwing(kind), () -> outlive(kind)));
			return "outer";
		})).isEqualTo("outer");
		assertThatIsReportedAsLost();
		LockSpec other = kind.spec(this.name + "-kept");
		assertThat(execute(other, () -> execute(other.withLeaseLost(LeaseLost.THROW), () -> "kept"))).isEqualTo("kept");
	}

	@ParameterizedTest
	@EnumSource
	void noScriptIsQuotedWhenRedisRefusesOne(LockKind kind, CapturedLog log) {
		LockSpec spec = kind.spec(this.name);
		execute(spec, () -> {
			redis.client().getKeys().delete(kind.key(this.name));
			redis.client().getBucket(kind.key(this.name), StringCodec.INSTANCE).set("of another type");
			return "result";
		});
		assertThat(log.entriesWith("WARN", this.name, "WRONGTYPE")).isNotEmpty();
		// Redisson logs its renewal itself.
		assertThat(log.entriesWith(" io.redelay.", this.name, "redis.call")).isEmpty();
		Throwable failure = catchThrowable(() -> execute(spec, () -> "result"));
		assertThat(failure).isInstanceOf(LockBackendException.class).hasStackTraceContaining("WRONGTYPE");
		assertThat(stackOf(failure)).doesNotContain("redis.call");
	}

	private static String stackOf(Throwable failure) {
		StringWriter stack = new StringWriter();
		failure.printStackTrace(new PrintWriter(stack));
		return stack.toString();
	}

	private LockSpec throwing(LockKind kind) {
		return kind.spec(this.name).withLeaseLost(LeaseLost.THROW);
	}

	private void assertThatIsReportedAsLost() {
		assertThat(this.application.eventTypes()).containsExactly(LockEvent.Type.ACQUIRED, LockEvent.Type.LOST);
	}

	/**
	 * Runs until the lease is over and another has the lock.
	 */
	private String outlive(LockKind kind) {
		RLock rival = kind.rival(redis.client(), this.name);
		assertThat(rival.tryLockAsync(20_000, 600_000, TimeUnit.MILLISECONDS, RIVAL).toCompletableFuture().join())
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
