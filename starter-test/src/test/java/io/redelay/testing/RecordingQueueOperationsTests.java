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
	void recordsWhatNamesNoQueueWithTheDefaultQueue() {
		this.queues.send("one");
		this.queues.sendAsync((Object) "two");
		this.queues.send((Object) OutboundMessage.to("a", "named"));
		assertThat(this.queues.sent()).payloadsTo(RecordingQueueOperations.DEFAULT_QUEUE).containsExactly("one", "two");
		assertThat(this.queues.sent()).hasSent("a", "named");
	}

	@Test
	void resultsAreWhatTheTestSaysThatHandlersReturn() {
		this.queues.answer("prices", (message) -> message.payload().toString().length());
		this.queues.answer("broken", (message) -> {
			throw new IllegalStateException("thrown by a test");
		});
		assertThat(this.queues.sendForResult(OutboundMessage.to("prices", "four").id("p-1"), Integer.class))
			.isCompletedWithValue(4);
		assertThat(this.queues.result("prices", "p-1", Integer.class)).isCompletedWithValue(4);
		assertThat(this.queues.sendForResult(OutboundMessage.to("broken", "x"), Integer.class))
			.isCompletedExceptionally();
		assertThat(this.queues.sendForResult(OutboundMessage.to("prices", "four"), String.class))
			.as("the type is not that of the result")
			.isCompletedExceptionally();
		assertThat(this.queues.sendForResult(OutboundMessage.to("unhandled", "x"), Integer.class)).isNotDone();
		assertThat(this.queues.result("prices", "unknown", Integer.class)).isNotDone();
		this.queues.failNext(new MessageSendException("no", null));
		assertThat(this.queues.sendForResult(OutboundMessage.to("prices", "x"), Integer.class))
			.isCompletedExceptionally();
		assertThat(this.queues.sent()).hasSentTo("prices", 2).hasSentTo("unhandled", 1);
	}

	@Test
	void whatIsAskedOfRedisIsNotedAndChangesNothing() {
		assertThat(this.queues.send(OutboundMessage.to("a", "next").inDelivery()).due()).isEqualTo(NOW);
		this.queues.send(OutboundMessage.to("a", "copied").replicas(1, Duration.ofSeconds(1)));
		assertThat(this.queues.sent()).hasSentTo("a", 2);
		assertThat(this.queues.sent().all().get(0).message().sending().inDelivery()).isTrue();
		assertThat(this.queues.sent().all().get(1).message().sending().durability()).isNotNull();
	}

	@Test
	void failsOnRequest() {
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
