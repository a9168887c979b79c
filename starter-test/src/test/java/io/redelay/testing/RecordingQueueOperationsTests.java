package io.redelay.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.redelay.queue.MessageSendException;
import io.redelay.queue.OutboundMessage;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RecordingQueueOperationsTests {

	private static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");

	private final RecordingQueueOperations queues = new RecordingQueueOperations(() -> NOW);

	@Test
	void notesWhatIsSentInAnyWay() {
		assertThat(this.queues.send("a", "now").due()).isEqualTo(NOW);
		assertThat(this.queues.send("a", "later", Duration.ofMinutes(30)).due())
			.isEqualTo(NOW.plus(Duration.ofMinutes(30)));
		assertThat(this.queues.sendAt("b", "at", Instant.EPOCH.plusSeconds(1)).due())
			.isEqualTo(Instant.EPOCH.plusSeconds(1));
		assertThat(this.queues.sendAsync(OutboundMessage.to("b", "async").id("id-1")).join().id()).isEqualTo("id-1");
		this.queues.sendAll(List.of(OutboundMessage.to("a", "one"), OutboundMessage.to("c", "two")));
		assertThat(this.queues.sent()).hasSentTo("a", 3)
			.hasSent("a", "later", Duration.ofMinutes(30))
			.hasSent("c", "two")
			.hasNotSentTo("d");
		assertThat(this.queues.sent()).payloadsTo("b").containsExactly("at", "async");
	}

	@Test
	void failsWhenItIsTold() {
		this.queues.failNext(new MessageSendException("no", null));
		assertThatExceptionOfType(MessageSendException.class).isThrownBy(() -> this.queues.send("a", "x"));
		this.queues.send("a", "y");
		assertThat(this.queues.sent()).hasSentTo("a", 1);
	}

	@Test
	void assertionsThatDoNotHoldSayWhatWasSent() {
		this.queues.send("a", "x");
		SentMessagesAssert sent = assertThat(this.queues.sent());
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> sent.hasSent("a", "y"))
			.withMessageContaining("Expected the payload y in the queue 'a'")
			.withMessageContaining("OutboundMessage to 'a'");
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> sent.hasSent("a", "x", Duration.ofSeconds(1)));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> sent.hasSentTo("b"));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> sent.hasNotSentTo("a"));
		assertThatExceptionOfType(AssertionError.class).isThrownBy(sent::isEmpty);
	}

}
