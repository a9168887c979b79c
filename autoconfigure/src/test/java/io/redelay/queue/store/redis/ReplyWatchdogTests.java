package io.redelay.queue.store.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ReplyWatchdog}.
 */
class ReplyWatchdogTests {

	private static final Duration LIMIT = Duration.ofMillis(300);

	private final ReplyWatchdog patience = new ReplyWatchdog(LIMIT, (since) -> {
	});

	@Test
	void whatIsNotCompletedInTimeFails() {
		assertFailsInTime();
	}

	@Test
	void theNextOneIsLimitedToo() {
		assertFailsInTime();
		assertFailsInTime();
	}

	@Test
	void whatIsCompletedIsLeftAlone() {
		CompletableFuture<String> answered = this.patience.limit(new CompletableFuture<>());
		CompletableFuture<String> silent = this.patience.limit(new CompletableFuture<>());
		answered.complete("answer");
		assertFails(silent);
		assertThat(answered).isCompletedWithValue("answer");
	}

	private void assertFailsInTime() {
		long start = System.nanoTime();
		assertFails(this.patience.limit(new CompletableFuture<>()));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(LIMIT);
	}

	private static void assertFails(CompletableFuture<?> future) {
		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> future.get(10, TimeUnit.SECONDS))
			.withCauseInstanceOf(TimeoutException.class);
	}

}
