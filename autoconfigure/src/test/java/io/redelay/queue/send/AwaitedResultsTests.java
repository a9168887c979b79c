package io.redelay.queue.send;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.redelay.queue.MessageResultException;
import io.redelay.queue.MessageState;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.admin.StoredMessages;
import io.redelay.test.IdleStore;
import io.redelay.test.SinglePartitions;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentMatchers;
import org.mockito.Mockito;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.messaging.converter.StringMessageConverter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link AwaitedResults}: when a message that is nowhere has no result.
 */
class AwaitedResultsTests {

	private final VirtualTime time = new VirtualTime();

	private final ReplayMemory memory = new ReplayMemory(Duration.ZERO, 0, (rollback) -> {
	});

	private final StoredMessages messages = Mockito.mock();

	private final AwaitedResults results = new AwaitedResults(new IdleStore() {

		@Override
		protected ReplayMemory replayMemory() {
			return AwaitedResultsTests.this.memory;
		}

	}.scripts(), this.messages, SinglePartitions.create(), new StringMessageConverter(),
			new FailedAttemptCodec(JsonMapper.shared()), this.time);

	@Test
	void aMessageThatIsNowhereAtThreeLooksHasNoResult() {
		CompletableFuture<String> result = await(MessageState.UNKNOWN);
		advance(Duration.ofMillis(2_900));
		assertThat(result).isNotDone();
		advance(Duration.ofMillis(200));
		assertUnknown(result);
	}

	@Test
	void whatIsHeardBetweenLooksDoesNotCount() {
		CompletableFuture<String> result = await(MessageState.UNKNOWN);
		for (int i = 0; i < 10; i++) {
			this.results.completed("id");
			this.results.wakeUpAll();
		}
		advance(Duration.ofMillis(1_500));
		assertThat(result).isNotDone();
	}

	@Test
	void noMessageIsNowhereWhileWhatRedisHasForgottenIsRepeated() {
		CompletableFuture<String> result = await(MessageState.UNKNOWN);
		advance(Duration.ofMillis(2_500));
		this.memory.checkAll();
		advance(Duration.ofSeconds(9));
		assertThat(result).isNotDone();
		answer(MessageState.SCHEDULED);
		advance(Duration.ofSeconds(9));
		answer(MessageState.UNKNOWN);
		advance(Duration.ofMillis(2_400));
		assertThat(result).isNotDone();
		advance(Duration.ofSeconds(1));
		assertUnknown(result);
	}

	private CompletableFuture<String> await(MessageState state) {
		answer(state);
		return this.results.await("q", "id", String.class);
	}

	private void answer(MessageState state) {
		Mockito.when(this.messages.outcomes(ArgumentMatchers.any(), ArgumentMatchers.any()))
			.thenAnswer((call) -> CompletableFuture
				.completedFuture(List.of(new StoredMessages.Outcome(state, new byte[0]))));
	}

	private void advance(Duration duration) {
		this.time.advance(duration);
	}

	private static void assertUnknown(CompletableFuture<String> result) {
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> result.getNow(null))
			.withCauseInstanceOf(MessageResultException.class)
			.satisfies((failure) -> assertThat(((MessageResultException) failure.getCause()).getState())
				.isEqualTo(MessageState.UNKNOWN));
	}

}
