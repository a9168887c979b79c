package io.redelay.queue.request;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.message.NewMessage;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RequestBatcher}.
 */
class RequestBatcherTests {

	@Test
	void aBatcherThatIsRetiredStaysRetired() {
		ReplayMemory memory = new ReplayMemory(Duration.ZERO, 0, (rollback) -> {
		}, new VirtualTime());
		RequestProtocol<NewMessage, SendReply> protocol = new RequestProtocol<>(
				new RequestProtocol.Settings("orders", Rollback.Lane.SENDER, 1, 1), (message) -> 1,
				CompletableFuture::new, (lane, seq, renews, items, attempt) -> new CompletableFuture<SendReply>(),
				(lane) -> new CompletableFuture<>());
		RequestBatcher<NewMessage, SendReply> batcher = new RequestBatcher<>(protocol, memory);
		assertThat(batcher.retireIfIdle(Duration.ofHours(1).toNanos())).isFalse();
		assertThat(batcher.retireIfIdle(0)).isTrue();
		assertThat(batcher.retireIfIdle(Duration.ofHours(1).toNanos())).isTrue();
	}

}
