package io.redelay.testing;

import java.time.Instant;
import java.util.List;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.bundle.Bundle;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.BundleEndedException;
import io.redelay.queue.bundle.BundleResultBounds;
import io.redelay.queue.bundle.BundleSummary;
import io.redelay.queue.bundle.FirstDeath;
import org.junit.jupiter.api.Test;

import org.springframework.util.unit.DataSize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RecordingMessageBundles}.
 */
class RecordingMessageBundlesTests {

	private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

	private final RecordingQueueOperations queues = new RecordingQueueOperations(() -> NOW);

	private final RecordingMessageBundles bundles = new RecordingMessageBundles(this.queues, () -> NOW);

	record Price(int minorUnits) {
	}

	@Test
	void theCallbackHasWhatTheAnswersSay() {
		this.queues.answer("lines", (message) -> new Price(message.payload().toString().length()));
		this.queues.answer("texts", (message) -> "a text");
		this.bundles.send(BundleCallback.to("done").id("b").header("mail", "a@b.c").keepResults(),
				List.of(OutboundMessage.to("lines", "xyz").id("a"), OutboundMessage.to("texts", "x").id("c"),
						OutboundMessage.to("others", "x")));
		assertThat(this.queues.sent().to("lines")).hasSize(1);
		SentMessage callback = this.queues.sent().to("done").get(0);
		assertThat(callback.message().headers()).containsEntry("mail", "a@b.c");
		BundleSummary summary = (BundleSummary) callback.message().payload();
		assertThat(summary.id()).isEqualTo("b");
		assertThat(summary.allAcknowledged()).isTrue();
		assertThat(summary.total()).isEqualTo(3);
		assertThat(summary.endedAt()).isEqualTo(NOW);
		assertThat(summary.result("a", Price.class)).contains(new Price(3));
		assertThat(summary.result("c", String.class)).contains("a text");
		assertThat(summary.results().kept()).hasSize(2);
	}

	@Test
	void whatComesAfterADeathIsCancelledWhereTheBundleSaysSo() {
		this.queues.answer("lines", (message) -> {
			throw new IllegalStateException("no");
		});
		Bundle bundle = this.bundles
			.open(BundleCallback.to("done").onFirstDeath(FirstDeath.CANCEL_REST).onFirstDeath("alarms", "an alarm"));
		bundle.add(List.of(OutboundMessage.to("lines", "1").id("a"), OutboundMessage.to("lines", "2")));
		this.bundles.bundle("done", bundle.id()).add(OutboundMessage.to("others", "3"));
		bundle.close();
		assertThat(this.queues.sent().to("lines")).hasSize(1);
		assertThat(this.queues.sent().to("others")).isEmpty();
		assertThat(this.queues.sent().to("alarms")).hasSize(1);
		BundleSummary summary = (BundleSummary) this.queues.sent().to("done").get(0).message().payload();
		assertThat(summary.dead()).isEqualTo(1);
		assertThat(summary.cancelled()).isEqualTo(2);
		assertThat(summary.deaths().get(0).message()).isEqualTo("no");
		assertThatExceptionOfType(BundleEndedException.class).isThrownBy(bundle::cancelRest);
	}

	@Test
	void resultsBeyondTheBoundsAreLeftOut() {
		this.queues.answer("lines", (message) -> message.payload());
		this.bundles.send(
				BundleCallback.to("done").keepResults(new BundleResultBounds(DataSize.ofBytes(3), DataSize.ofBytes(5))),
				List.of(OutboundMessage.to("lines", "123"), OutboundMessage.to("lines", "1234"),
						OutboundMessage.to("lines", "123"), OutboundMessage.to("lines", "12")));
		BundleSummary summary = (BundleSummary) this.queues.sent().to("done").get(0).message().payload();
		assertThat(summary.results().leftOut()).isEqualTo(2);
		assertThat(summary.results(String.class).values()).containsExactly("123", "12");
	}

}
