package io.redelay.queue.handle;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import io.redelay.queue.batch.BatchFailedException;
import io.redelay.queue.script.ClaimReply;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.messaging.Message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link BatchParts}: what becomes of the future that a handler returns for a
 * part.
 */
class BatchPartsTests {

	private final CompletableFuture<String> returned = new CompletableFuture<>();

	private final Delivery first = delivery("1");

	private final Delivery second = delivery("2");

	private final CompletionStage<?> awaited = handle();

	@Test
	void aCancelledResultCancelsWhatTheHandlerReturned() {
		assertThat(((Future<?>) this.awaited).cancel(true)).isTrue();
		assertThat(this.returned).isCancelled();
		assertThat(this.awaited.toCompletableFuture()).isCancelled();
	}

	@Test
	void aFailureNamesPositionsOfTheWholeBatch() {
		this.returned.completeExceptionally(new BatchFailedException(Map.of(0, new IllegalStateException("no"))));
		assertThatExceptionOfType(BatchFailedException.class).isThrownBy(() -> get(this.awaited))
			.satisfies((failure) -> assertThat(failure.getFailures()).containsOnlyKeys(1));
	}

	@Test
	void aFailureWhoseCauseIsItselfEndsTheHandlingToo() {
		CompletionException circle = new CompletionException("circle", null) {

			@Override
			public synchronized Throwable getCause() {
				return this;
			}

		};
		this.returned.completeExceptionally(circle);
		assertThat(this.awaited.toCompletableFuture()).isCompletedExceptionally();
	}

	private CompletionStage<?> handle() {
		try {
			CompletionStage<?> stage = BatchParts.handlePart(List.of(this.second), List.of(this.first, this.second),
					new Handler());
			assertThat(stage).isNotNull();
			return stage;
		}
		catch (Throwable ex) {
			throw new AssertionError(ex);
		}
	}

	private static Delivery delivery(String uid) {
		return new Delivery(new IdleOwner(), Deliveries.context("q", "q", null),
				new ClaimReply.Message(uid, 1, 0, 0, false, new byte[0]), 0, Instant.EPOCH, 0);
	}

	private static void get(CompletionStage<?> stage) throws Throwable {
		try {
			stage.toCompletableFuture().join();
		}
		catch (CompletionException ex) {
			throw ex.getCause();
		}
	}

	private final class Handler implements DeliveryHandler {

		@Override
		public Message<?> message(Delivery delivery) {
			throw new UnsupportedOperationException();
		}

		@Override
		public @Nullable CompletionStage<?> handle(List<Delivery> deliveries) {
			return BatchPartsTests.this.returned;
		}

	}

}
