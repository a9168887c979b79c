package io.redelay.queue.wire;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.redelay.queue.request.OutcomeUnknownException;
import io.redelay.queue.request.StoreException;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;
import org.redisson.RedissonShutdownException;
import org.redisson.client.RedisAuthRequiredException;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisException;
import org.redisson.client.RedisOutOfMemoryException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Resender}.
 */
class ResenderTests {

	private final VirtualTime time = new VirtualTime();

	private final Resender resender = new Resender(this.time, Duration.ofSeconds(30), Duration.ofSeconds(12),
			new RedisAvailability(this.time, Duration.ofSeconds(1), Duration.ofMinutes(1)));

	@Test
	void sendsAgainWhatCouldNotBeSent() {
		CompletableFuture<String> reply = send(
				List.of(ResenderTests::refused, () -> CompletableFuture.completedFuture("OK")));
		assertThat(reply).isNotDone();
		this.time.advance(Duration.ofSeconds(1));
		assertThat(reply).isCompletedWithValue("OK");
	}

	/**
	 * While a connection is lost Redisson 4.7 fails requests with such an exception.
	 */
	@Test
	void sendsAgainWhatADefectOfTheClientFailed() {
		CompletableFuture<String> reply = send(
				List.of(() -> CompletableFuture.failedFuture(new NullPointerException("thrown by a test")), () -> {
					throw new IllegalStateException("thrown by a test");
				}, () -> CompletableFuture.failedFuture(new RedisException("Connection is not active!")),
						() -> CompletableFuture.completedFuture("OK")));
		this.time.advance(Duration.ofSeconds(1));
		assertThat(reply).isCompletedWithValue("OK");
	}

	@Test
	void doesNotSendAgainWhatRedisRefused() {
		List<Throwable> refusals = List.of(reply("ERR unknown command 'EVALSHA'"), reply("NOPERM no permission"),
				reply("MISCONF Redis is configured to save RDB snapshots, but can't"),
				new RedisOutOfMemoryException("command not allowed"), new RedisAuthRequiredException("NOAUTH"),
				new RedissonShutdownException("Redisson is shutdown"));
		for (Throwable refusal : refusals) {
			assertThat(send(List.of(() -> CompletableFuture.failedFuture(refusal)))).isCompletedExceptionally();
		}
	}

	@Test
	void sendsAgainWhatAReplicaRefusedInsideAScript() {
		RedisException readOnly = reply("ERR Error running script (call to f_1): @user_script:1:"
				+ " @user_script: 1: -READONLY You can't write against a read only replica.");
		CompletableFuture<String> reply = send(
				List.of(() -> CompletableFuture.failedFuture(readOnly), () -> CompletableFuture.completedFuture("OK")));
		this.time.advance(Duration.ofSeconds(1));
		assertThat(reply).isCompletedWithValue("OK");
	}

	@Test
	void doesNotKnowWhatADefectOfTheClientLeftWhenTheTimeIsOver() {
		CompletableFuture<String> reply = this.resender.send("Doing something", List.of(), false, Duration.ZERO,
				() -> CompletableFuture.failedFuture(new NullPointerException("thrown by a test")));
		this.time.advance(Duration.ofSeconds(28));
		assertThat(reply).isNotDone();
		this.time.advance(Duration.ofSeconds(2));
		assertThat(reply.handle((value, failure) -> failure).join()).isInstanceOf(OutcomeUnknownException.class)
			.hasCauseInstanceOf(NullPointerException.class);
	}

	/**
	 * As the client makes it of an error that it has no type for.
	 */
	private static RedisException reply(String error) {
		return new RedisException(error + ". channel: [id: 0x1] command: (EVALSHA), params: []");
	}

	@Test
	void theTimeBeforeTheFirstAttemptCounts() {
		long begun = this.time.nanoTime();
		this.time.advance(Duration.ofSeconds(20));
		CompletableFuture<String> reply = this.resender.send(begun, "Doing something", List.of(), false, Duration.ZERO,
				ResenderTests::refused);
		this.time.advance(Duration.ofSeconds(8));
		assertThat(reply).isNotDone();
		this.time.advance(Duration.ofSeconds(2));
		assertThat(reply).isCompletedExceptionally();
		assertThat(this.resender.<String>send(begun, "Doing something", List.of(), false, Duration.ZERO,
				() -> CompletableFuture.completedFuture("OK")))
			.as("it is tried once")
			.isCompletedWithValue("OK");
	}

	@Test
	void failsWithAnErrorThatIsThrownOnTheTimer() {
		CompletableFuture<String> reply = this.resender.send("Doing something", List.of(), false, Duration.ZERO, () -> {
			throw new OutOfMemoryError("thrown by a test");
		});
		this.time.advance(Duration.ofSeconds(30));
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
		return this.resender.send("Doing something", List.of(), false, Duration.ZERO, () -> left.remove().get());
	}

	private static CompletableFuture<String> refused() {
		return CompletableFuture.failedFuture(new RedisConnectionException("refused by a test"));
	}

}
