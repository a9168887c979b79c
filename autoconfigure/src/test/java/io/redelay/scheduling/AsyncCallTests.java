package io.redelay.scheduling;

import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link AsyncCall}.
 */
class AsyncCallTests {

	@Test
	void passesTheFutureOfTheCallOn() {
		CompletableFuture<String> future = new CompletableFuture<>();
		assertThat(AsyncCall.of(() -> future)).isSameAs(future);
	}

	@Test
	void failsInPlaceOfThrowing() {
		OutOfMemoryError failure = new OutOfMemoryError("for a test");
		assertThat(AsyncCall.of(() -> {
			throw failure;
		})).isCompletedExceptionally();
	}

}
