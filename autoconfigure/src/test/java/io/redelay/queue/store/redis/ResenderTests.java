package io.redelay.queue.store.redis;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.queue.store.OutcomeUnknownException;
import io.redelay.queue.store.StoreException;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;
import org.redisson.client.RedisConnectionException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Resender}.
 */
class ResenderTests {

	private final VirtualTime time = new VirtualTime();

	private final Resender resender = new Resender(this.time, Duration.ofSeconds(30),
			new RedisAvailability(this.time, Duration.ofSeconds(1), Duration.ofMinutes(1)));

	@Test
	void sendsAgainWhatCouldNotBeSent() {
		CompletableFuture<String> reply = send(
				List.of(ResenderTests::refused, () -> CompletableFuture.completedFuture("OK")));
		assertThat(reply).isNotDone();
		this.time.advance(Duration.ofSeconds(1));
		assertThat(reply).isCompletedWithValue("OK");
	}

	@Test
	void failsWithAnErrorThatIsThrownOnTheTimer() {
		CompletableFuture<String> reply = send(List.of(ResenderTests::refused, () -> {
			throw new OutOfMemoryError("thrown by a test");
		}));
		this.time.advance(Duration.ofSeconds(1));
		assertThat(reply).isCompletedExceptionally();
		assertThat(reply.handle((value, failure) -> failure).join()).isInstanceOf(OutcomeUnknownException.class)
			.hasCauseInstanceOf(OutOfMemoryError.class);
	}

	@Test
	void failsWhatCannotBeSentAgainAsTheTimerTakesNoTask() {
		this.time.close();
		CompletableFuture<String> reply = send(List.of(ResenderTests::refused));
		assertThat(reply).isCompletedExceptionally();
		assertThat(reply.handle((value, failure) -> failure).join()).isExactlyInstanceOf(StoreException.class);
	}

	private CompletableFuture<String> send(List<Supplier<CompletableFuture<String>>> attempts) {
		Queue<Supplier<CompletableFuture<String>>> left = new ArrayDeque<>(attempts);
		return this.resender.send("Doing something", List.of(), false, () -> left.remove().get());
	}

	private static CompletableFuture<String> refused() {
		return CompletableFuture.failedFuture(new RedisConnectionException("refused by a test"));
	}

}
