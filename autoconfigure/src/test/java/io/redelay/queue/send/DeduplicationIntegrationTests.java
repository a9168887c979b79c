package io.redelay.queue.send;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.queue.Acknowledgment;
import io.redelay.queue.Deduplication;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueFullException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.SendResult;
import io.redelay.queue.admin.DeduplicationKey;
import io.redelay.queue.admin.DeduplicationKey.Way;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

/**
 * Tests for messages that are sent with a key to deduplicate by.
 */
class DeduplicationIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	// The first wins

	@Test
	void theFirstWinsWithinTheWindow() {
		try (ListenerApplication application = start()) {
			SendResult first = send(application, "a", Deduplication.firstWins("key", HOUR));
			SendResult second = send(application, "b", Deduplication.firstWins("key", HOUR));
			SendResult other = send(application, "c", Deduplication.firstWins("other", HOUR));
			assertThat(first.outcome()).isEqualTo(SendOutcome.ADDED);
			assertThat(second.duplicate()).isTrue();
			assertThat(second.id()).isEqualTo(first.id());
			assertThat(other.duplicate()).isFalse();
			assertThat(payloads()).containsExactlyInAnyOrder("\"a\"", "\"c\"");
		}
	}

	@Test
	void theFirstWinsAlsoAfterItWasHandled() {
		Recorder handler = new Recorder();
		try (ListenerApplication application = start(handler)) {
			SendResult first = send(application, "a", Deduplication.firstWins("key", HOUR));
			this.state.awaitDrained();
			SendResult second = send(application, "b", Deduplication.firstWins("key", HOUR));
			assertThat(second.duplicate()).isTrue();
			assertThat(second.id()).isEqualTo(first.id());
			assertThat(handler.payloads).containsExactly("a");
			assertThat(redis.client().getMap(key("dedup"), StringCodec.INSTANCE).remainTimeToLive())
				.isBetween(HOUR.toMillis() - 60_000, HOUR.toMillis());
		}
	}

	@Test
	void anotherOneIsAddedAfterTheWindow() {
		try (ListenerApplication application = start()) {
			Deduplication briefly = Deduplication.firstWins("key", Duration.ofMillis(50));
			SendResult first = send(application, "a", briefly);
			Awaitility.await().until(() -> !send(application, "b", briefly).duplicate());
			assertThat(payloads()).contains("\"a\"", "\"b\"");
			assertThat(first.duplicate()).isFalse();
			Awaitility.await()
				.until(() -> redis.client().getMap(key("dedup"), StringCodec.INSTANCE).remainTimeToLive() == -2);
		}
	}

	@Test
	void aDuplicateIsGivenTheIdThatItsSenderGaveTheFirst() {
		try (ListenerApplication application = start()) {
			OutboundMessage message = OutboundMessage.to(this.queue, "a")
				.deduplicate(Deduplication.firstWins("k", HOUR));
			application.queues().send(message.id("an id of 100 %20"));
			assertThat(application.queues().send(message.id("another")).id()).isEqualTo("an id of 100 %20");
			assertThat(application.queues().send(message).id()).isEqualTo("an id of 100 %20");
		}
	}

	@Test
	void aDeadMessageBlocksNoKey() {
		Recorder handler = new Recorder();
		handler.failure = new RejectMessageException("no");
		try (ListenerApplication application = start(handler)) {
			send(application, "a", Deduplication.firstWins("key", HOUR));
			this.state.awaitDead();
			handler.failure = null;
			assertThat(send(application, "b", Deduplication.firstWins("key", HOUR)).duplicate()).isFalse();
			Awaitility.await().until(() -> handler.payloads.contains("b"));
		}
	}

	@Test
	void whatIsRemovedGivesItsKeyUp() {
		try (ListenerApplication application = start()) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			Deduplication first = Deduplication.firstWins("key", HOUR);
			admin.messages().cancel(this.queue, send(application, "a", first).id());
			assertThat(send(application, "b", first).duplicate()).isFalse();
			admin.control().purge(this.queue, MessageState.READY);
			assertThat(send(application, "c", first).duplicate()).isFalse();
		}
	}

	@Test
	void whatIsCancelledWhileItIsHandledGivesItsKeyUp() {
		Recorder handler = new Recorder();
		handler.failure = new IllegalStateException("again");
		handler.latch = new CountDownLatch(1);
		try (ListenerApplication application = start(handler)) {
			SendResult first = send(application, "a", Deduplication.firstWins("key", HOUR));
			Awaitility.await().until(() -> !handler.payloads.isEmpty());
			application.bean(QueueAdmin.class).messages().cancel(this.queue, first.id());
			handler.latch.countDown();
			this.state.awaitDrained();
			assertThat(send(application, "b", Deduplication.firstWins("key", HOUR)).duplicate()).isFalse();
		}
	}

	@Test
	void whatIsRescheduledKeepsItsKey() {
		try (ListenerApplication application = start()) {
			SendResult first = send(application, "a", Deduplication.firstWins("key", HOUR));
			application.bean(QueueAdmin.class).messages().reschedule(this.queue, first.id(), HOUR);
			assertThat(send(application, "b", Deduplication.firstWins("key", HOUR)).duplicate()).isTrue();
			application.bean(QueueAdmin.class).messages().cancel(this.queue, first.id());
			assertThat(send(application, "c", Deduplication.firstWins("key", HOUR)).duplicate()).isFalse();
		}
	}

	@Test
	void whatIsSentTogetherIsDeduplicated() {
		try (ListenerApplication application = start()) {
			OutboundMessage message = OutboundMessage.to(this.queue, "a")
				.deduplicate(Deduplication.firstWins("k", HOUR));
			List<SendResult> results = application.queues()
				.sendAll(List.of(OutboundMessage.to(this.queue, "plain"), message, message.delay(HOUR), message));
			assertThat(results).extracting(SendResult::duplicate).containsExactly(false, false, true, true);
			assertThat(results.get(3).id()).isEqualTo(results.get(1).id());
			assertThat(this.state.messages()).hasSize(2);
		}
	}

	@Test
	void eachDuplicateExtendsAWindowThatIsExtended() {
		try (ListenerApplication application = start()) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			send(application, "a", Deduplication.firstWins("key", HOUR));
			Instant ends = admin.queues().deduplicationKeys(this.queue, "key").get(0).until();
			send(application, "b", Deduplication.firstWins("key", HOUR.multipliedBy(3)));
			assertThat(admin.queues().deduplicationKeys(this.queue, "key").get(0).until()).as("not extended")
				.isEqualTo(ends);
			send(application, "c", Deduplication.firstWins("key", HOUR.multipliedBy(3)).extended());
			Instant extended = admin.queues().deduplicationKeys(this.queue, "key").get(0).until();
			assertThat(extended).isAfterOrEqualTo(ends.plus(HOUR.multipliedBy(2)));
			send(application, "d", Deduplication.firstWins("key", Duration.ofMillis(1)).extended());
			assertThat(admin.queues().deduplicationKeys(this.queue, "key").get(0).until()).as("never shortened")
				.isEqualTo(extended);
			assertThat(payloads()).containsExactly("\"a\"");
			assertThat(redis.client().getMap(key("dedup"), StringCodec.INSTANCE).remainTimeToLive())
				.isGreaterThan(HOUR.multipliedBy(2).toMillis());
		}
	}

	@Test
	void aKeyThatDuplicatesExtendOutlivesItsFirstWindow() {
		try (ListenerApplication application = start()) {
			Deduplication extended = Deduplication.firstWins("key", Duration.ofSeconds(20)).extended();
			send(application, "a", Deduplication.firstWins("key", Duration.ofSeconds(2)).extended());
			Instant firstWindow = QueueState.now(redis).plusSeconds(2);
			assertThat(send(application, "b", extended).duplicate()).isTrue();
			Awaitility.await().until(() -> QueueState.now(redis).isAfter(firstWindow));
			assertThat(send(application, "c", extended).duplicate()).isTrue();
		}
	}

	// Debounce

	@Test
	void theNewestReplacesTheOneThatWaits() {
		Recorder handler = new Recorder();
		try (ListenerApplication application = start(handler)) {
			SendResult first = send(application, "a", Deduplication.debounce("key", HOUR, HOUR.multipliedBy(2)));
			SendResult second = send(application, "b", Deduplication.debounce("key", Duration.ofMillis(300), HOUR));
			assertThat(first.outcome()).isEqualTo(SendOutcome.ADDED);
			assertThat(second.outcome()).isEqualTo(SendOutcome.REPLACED);
			assertThat(second.replacedId()).isEqualTo(first.id());
			assertThat(second.id()).isNotEqualTo(first.id());
			this.state.awaitDrained();
			assertThat(handler.payloads).containsExactly("b");
			assertThat(keys()).isEmpty();
		}
	}

	@Test
	void itsTimeBeginsAnewButEndsAtTheLongestWait() {
		try (ListenerApplication application = start()) {
			SendResult first = send(application, "a", Deduplication.debounce("key", Duration.ofSeconds(60), HOUR));
			Instant before = QueueState.now(redis);
			SendResult second = send(application, "b", Deduplication.debounce("key", Duration.ofSeconds(90), HOUR));
			assertThat(second.due()).isAfterOrEqualTo(before.plusSeconds(90)).isBefore(before.plusSeconds(150));
			SendResult third = send(application, "c",
					Deduplication.debounce("key", Duration.ofSeconds(60), Duration.ofSeconds(60)));
			// First sent at first.due() less its delay, and one for the next full one.
			assertThat(third.due()).isEqualTo(first.due().minusMillis(1));
			assertThat(payloads()).containsExactly("\"c\"");
			assertThat(this.state.scheduled()).isOne();
		}
	}

	@Test
	void whatIsReadyIsReplacedToo() {
		try (ListenerApplication application = start()) {
			SendResult first = send(application, "a", Deduplication.debounce("key", HOUR, HOUR));
			application.bean(QueueAdmin.class).messages().runNow(this.queue, first.id());
			SendResult second = send(application, "b", Deduplication.debounce("key", HOUR, HOUR));
			assertThat(second.outcome()).isEqualTo(SendOutcome.REPLACED);
			assertThat(second.replacedId()).isEqualTo(first.id());
			assertThat(payloads()).containsExactly("\"b\"");
			assertThat(this.state.ready()).isZero();
		}
	}

	@Test
	void whatHasWaitedForTheLongestTimeIsLeftAlone() {
		try (ListenerApplication application = start()) {
			Deduplication briefly = Deduplication.debounce("key", Duration.ofMillis(1), Duration.ofMillis(20));
			SendResult first = send(application, "a", briefly);
			Awaitility.await().until(() -> QueueState.now(redis).isAfter(first.due().plusMillis(30)));
			assertThat(send(application, "b", briefly).outcome()).isEqualTo(SendOutcome.ADDED);
			assertThat(payloads()).containsExactlyInAnyOrder("\"a\"", "\"b\"");
		}
	}

	@Test
	void whatIsHeldIsNotReplaced() {
		Recorder handler = new Recorder();
		handler.latch = new CountDownLatch(1);
		Deduplication briefly = Deduplication.debounce("key", Duration.ofMillis(1), HOUR);
		try (ListenerApplication application = start(handler)) {
			send(application, "a", briefly);
			Awaitility.await().until(() -> !handler.payloads.isEmpty());
			SendResult second = send(application, "b", Deduplication.debounce("key", HOUR, HOUR));
			SendResult third = send(application, "c", briefly);
			assertThat(second.outcome()).isEqualTo(SendOutcome.ADDED);
			assertThat(third.replacedId()).isEqualTo(second.id());
			handler.latch.countDown();
			this.state.awaitDrained();
			assertThat(handler.payloads).containsExactlyInAnyOrder("a", "c");
			assertThat(keys()).isEmpty();
		}
	}

	@Test
	void whatIsToBeTriedAgainIsReplaced() {
		Recorder handler = new Recorder();
		handler.failure = new IllegalStateException("not yet");
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.with("redelay.queue.listener.backoff.initial-interval", "1h")
			.start()) {
			send(application, "a", Deduplication.debounce("key", Duration.ofMillis(1), Duration.ofMillis(1)));
			Awaitility.await()
				.until(() -> handler.payloads.size() == 1 && this.state.scheduled() == 1 && this.state.held() == 0);
			handler.failure = null;
			SendResult second = send(application, "b",
					Deduplication.debounce("key", Duration.ofMillis(1), Duration.ofMillis(1)));
			assertThat(second.outcome()).isEqualTo(SendOutcome.REPLACED);
			this.state.awaitDrained();
			assertThat(handler.payloads).containsExactly("a", "b");
			assertThat(this.state.tries()).isZero();
		}
	}

	// Aggregate

	@Test
	void payloadsGatherInOneMessage() {
		Digests handler = new Digests();
		try (ListenerApplication application = start(handler)) {
			SendResult first = send(application, new Event("a", 1), Deduplication.aggregate("key", HOUR, 3));
			SendResult second = send(application, new Event("ä\"]}", 2), Deduplication.aggregate("key", HOUR, 3));
			assertThat(first.outcome()).isEqualTo(SendOutcome.ADDED);
			assertThat(second.outcome()).isEqualTo(SendOutcome.GATHERED);
			assertThat(second.id()).isEqualTo(first.id());
			assertThat(second.due()).isEqualTo(first.due());
			assertThat(this.state.messages()).hasSize(1);
			SendResult third = send(application, new Event("c", 3), Deduplication.aggregate("key", HOUR, 3));
			assertThat(third.due()).isBefore(first.due());
			this.state.awaitDrained();
			assertThat(handler.batches)
				.containsExactly(List.of(new Event("a", 1), new Event("ä\"]}", 2), new Event("c", 3)));
			assertThat(keys()).isEmpty();
		}
	}

	@Test
	void theTimeEndsTheGathering() {
		Digests handler = new Digests();
		try (ListenerApplication application = start(handler)) {
			Deduplication briefly = Deduplication.aggregate("key", Duration.ofMillis(400), 1000);
			send(application, new Event("a", 1), briefly);
			send(application, new Event("b", 2), briefly);
			this.state.awaitDrained();
			assertThat(handler.batches.stream().flatMap(List::stream).map(Event::name)).containsExactly("a", "b");
		}
	}

	@Test
	void eachPayloadBeginsTheGracePeriodAnewUntilTheLongestWait() {
		Deduplication.Aggregate rule = Deduplication.aggregate("key", HOUR, 1000);
		try (ListenerApplication application = start()) {
			SendResult first = send(application, new Event("a", 1), rule.gracePeriod(Duration.ofMinutes(10)));
			Instant before = QueueState.now(redis);
			SendResult second = send(application, new Event("b", 2), rule.gracePeriod(Duration.ofMinutes(20)));
			assertThat(second.outcome()).isEqualTo(SendOutcome.GATHERED);
			assertThat(second.due()).isAfterOrEqualTo(before.plus(Duration.ofMinutes(20)));
			SendResult third = send(application, new Event("c", 3), rule.gracePeriod(Duration.ofMinutes(5)));
			assertThat(third.due()).as("never earlier").isEqualTo(second.due());
			assertThat(send(application, new Event("d", 4), rule).due()).as("no grace period").isEqualTo(second.due());
			SendResult last = send(application, new Event("e", 5), rule.gracePeriod(HOUR));
			assertThat(Duration.between(first.due(), last.due())).as("the longest wait of the first one")
				.isEqualTo(Duration.ofMinutes(50));
			assertThat(this.state.messages()).hasSize(1);
			assertThat(application.bean(QueueAdmin.class).messages().find(this.queue, first.id()).orElseThrow().dueAt())
				.isEqualTo(last.due());
			assertThat(this.state.raw()).singleElement().asString().contains("\"dueAt\":" + last.due().toEpochMilli());
		}
	}

	@Test
	void aGracePeriodEndsTheGathering() {
		Digests handler = new Digests();
		try (ListenerApplication application = start(handler)) {
			Deduplication rule = Deduplication.aggregate("key", HOUR, 1000).gracePeriod(Duration.ofMillis(400));
			application.queues()
				.sendAll(IntStream.range(0, 3)
					.mapToObj((i) -> OutboundMessage.to(this.queue, new Event("e", i)).deduplicate(rule))
					.toList());
			this.state.awaitDrained();
			assertThat(handler.batches.stream().flatMap(List::stream).map(Event::number)).containsExactly(0, 1, 2);
			assertThat(keys()).isEmpty();
		}
	}

	@Test
	void aMessageThatGathersForLongerLivesForLonger() {
		Deduplication rule = Deduplication.aggregate("key", HOUR, 1000).gracePeriod(Duration.ofMinutes(10));
		try (ListenerApplication application = start()) {
			OutboundMessage message = OutboundMessage.to(this.queue, new Event("a", 1)).timeToLive(HOUR);
			application.queues().send(message.deduplicate(rule));
			double before = expiry();
			application.queues()
				.send(message.deduplicate(Deduplication.aggregate("key", HOUR, 9).gracePeriod(Duration.ofMinutes(30))));
			assertThat(expiry() - before).isGreaterThanOrEqualTo(Duration.ofMinutes(20).toMillis());
		}
	}

	private double expiry() {
		return redis.client().getScoredSortedSet(key("expiries"), StringCodec.INSTANCE).firstScore();
	}

	@Test
	void theSizeEndsTheGathering() {
		try (ListenerApplication application = start()) {
			Deduplication small = Deduplication.aggregate("key", HOUR, 1000, 400);
			String text = "x".repeat(100);
			List<SendResult> results = IntStream.range(0, 6)
				.mapToObj((i) -> send(application, new Event(text, i), small))
				.toList();
			assertThat(results.stream().map(SendResult::id).distinct()).hasSizeBetween(2, 4);
			assertThat(this.state.raw()).allMatch((envelope) -> envelope.length() <= 400);
			assertThat(
					send(application, new Event("y".repeat(500), 7), Deduplication.aggregate("k", HOUR, 9, 400)).due())
				.isBefore(QueueState.now(redis).plusSeconds(60));
		}
	}

	@Test
	void manyThatAreSentTogetherGatherInAsManyMessagesAsTheyNeed() {
		Digests handler = new Digests();
		try (ListenerApplication application = start(handler)) {
			List<OutboundMessage> messages = IntStream.range(0, 2500)
				.mapToObj((i) -> OutboundMessage.to(this.queue, new Event("e", i))
					.deduplicate(Deduplication.aggregate((i % 5 != 0) ? "key" : "other", Duration.ofSeconds(1), 100)))
				.toList();
			application.queues().sendAll(messages);
			this.state.awaitDrained();
			assertThat(handler.batches).hasSize(25).allMatch((batch) -> batch.size() == 100);
			assertThat(handler.batches.stream().flatMap(List::stream).map(Event::number))
				.containsExactlyInAnyOrderElementsOf(IntStream.range(0, 2500).boxed().toList());
			assertThat(keys()).isEmpty();
		}
	}

	@Test
	void whatWasClaimedGathersNoMore() {
		Digests handler = new Digests();
		handler.failure = new IllegalStateException("again");
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.with("redelay.queue.listener.backoff.initial-interval", "1h")
			.start()) {
			send(application, new Event("a", 1), Deduplication.aggregate("key", Duration.ofMillis(1), 10));
			Awaitility.await().until(() -> this.state.scheduled() == 1 && this.state.tries() == 1);
			assertThat(send(application, new Event("b", 2), Deduplication.aggregate("key", HOUR, 10)).outcome())
				.isEqualTo(SendOutcome.ADDED);
			assertThat(this.state.messages()).hasSize(2);
		}
	}

	@Test
	void aDigestIsOneDeliveryAmongOthers() {
		Digests handler = new Digests();
		handler.rejected = "bad";
		try (ListenerApplication application = start(handler)) {
			Awaitility.await().until(() -> application.bean(QueueAdmin.class).queues().names().contains(this.queue));
			application.bean(QueueAdmin.class).control().pause(this.queue);
			application.queues().send(this.queue, new Event("single", 0));
			send(application, new Event("bad", 1), Deduplication.aggregate("key", HOUR, 2));
			send(application, new Event("good", 2), Deduplication.aggregate("key", HOUR, 2));
			application.queues().send(this.queue, new Event("single", 3));
			application.bean(QueueAdmin.class).control().resume(this.queue);
			assertThat(this.state.awaitDead().envelope().get("payload").size()).isEqualTo(2);
			this.state.awaitDrained();
			assertThat(handler.batches).contains(List.of(new Event("bad", 1), new Event("good", 2)));
			assertThat(handler.batches.stream().flatMap(List::stream)).hasSize(4);
		}
	}

	@Test
	void whatIsNoJsonIsNotGathered() {
		try (ListenerApplication application = start()) {
			assertThatExceptionOfType(MessageSendException.class)
				.isThrownBy(() -> send(application, new byte[] { 1 }, Deduplication.aggregate("key", HOUR, 9)))
				.withMessageContaining(this.queue)
				.withMessageContaining("send an object");
		}
	}

	// Other options

	@Test
	void whatAddsNothingIsNoneTooMany() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.queues[" + this.queue + "].max-length", 1)
			.start()) {
			send(application, new Event("a", 1), Deduplication.aggregate("key", HOUR, 3));
			send(application, new Event("b", 2), Deduplication.aggregate("key", HOUR, 3));
			assertThatExceptionOfType(QueueFullException.class)
				.isThrownBy(() -> send(application, "c", Deduplication.debounce("key", HOUR, HOUR)));
			application.bean(QueueAdmin.class).control().purge(this.queue, MessageState.SCHEDULED);
			send(application, "d", Deduplication.debounce("key", HOUR, HOUR));
			assertThat(send(application, "e", Deduplication.debounce("key", HOUR, HOUR)).outcome())
				.isEqualTo(SendOutcome.REPLACED);
			assertThatExceptionOfType(QueueFullException.class)
				.isThrownBy(() -> send(application, "f", Deduplication.firstWins("key", HOUR)));
			application.bean(QueueAdmin.class).control().purge(this.queue, MessageState.SCHEDULED);
			send(application, "f", Deduplication.firstWins("key", HOUR));
			assertThat(send(application, "g", Deduplication.firstWins("key", HOUR)).duplicate()).isTrue();
		}
	}

	@Test
	void whatIsDroppedGivesItsKeyUp() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.queues[" + this.queue + "].max-length", 1)
			.with("redelay.queue.queues[" + this.queue + "].overflow", "drop-oldest")
			.start()) {
			send(application, "a", Deduplication.firstWins("key", HOUR));
			application.queues().send(this.queue, "b");
			assertThat(send(application, "c", Deduplication.firstWins("key", HOUR)).duplicate()).isFalse();
			assertThat(payloads()).containsExactly("\"c\"");
		}
	}

	@Test
	void whatMakesNoSenseIsRefused() {
		OutboundMessage message = OutboundMessage.to(this.queue, "a");
		Deduplication debounce = Deduplication.debounce("key", HOUR, HOUR);
		assertThatIllegalArgumentException().isThrownBy(() -> message.id("a").deduplicate(debounce))
			.withMessageContaining("leave it out");
		assertThatIllegalArgumentException().isThrownBy(() -> message.deduplicate(debounce).delay(HOUR))
			.withMessageContaining("leave them out");
		assertThatIllegalArgumentException().isThrownBy(() -> Deduplication.firstWins("key", Duration.ZERO))
			.withMessageContaining("'window'")
			.withMessageContaining("1 ms");
		assertThatIllegalArgumentException().isThrownBy(() -> Deduplication.firstWins(" ", HOUR))
			.withMessageContaining("is blank");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> Deduplication.debounce("key", HOUR, Duration.ofMinutes(1)))
			.withMessageContaining("'longestWait'");
		assertThatIllegalArgumentException().isThrownBy(() -> Deduplication.aggregate("key", HOUR, 0))
			.withMessageContaining("'maxCount'")
			.withMessageContaining("2 to 1000");
		assertThatIllegalArgumentException().isThrownBy(() -> Deduplication.aggregate("key", HOUR, 5, 0))
			.withMessageContaining("'maxBytes'");
	}

	// Keys

	@Test
	void aKeyIsLookedAtAndFreed() {
		try (ListenerApplication application = start(); ListenerApplication other = start()) {
			QueueAdmin admin = other.bean(QueueAdmin.class);
			String first = send(application, "a", Deduplication.firstWins("key", HOUR)).id();
			String newest = send(application, "b", Deduplication.debounce("key", HOUR, HOUR)).id();
			String digest = send(application, new Event("c", 1), Deduplication.aggregate("key", HOUR, 9)).id();
			send(application, new Event("c", 2), Deduplication.aggregate("key", HOUR, 9));
			assertThat(admin.queues().deduplicationKeys(this.queue, "key"))
				.extracting(DeduplicationKey::way, DeduplicationKey::messageId, DeduplicationKey::payloads)
				.containsExactly(tuple(Way.FIRST_WINS, first, 0), tuple(Way.DEBOUNCE, newest, 0),
						tuple(Way.AGGREGATE, digest, 2));
			assertThat(admin.queues().deduplicationKeys(this.queue, "key")).extracting((key) -> key.until() != null)
				.containsExactly(true, false, false);
			assertThat(admin.queues().deduplicationKeys(this.queue, "another")).isEmpty();

			assertThat(admin.control().freeDeduplicationKey(this.queue, "key")).isTrue();
			assertThat(admin.control().freeDeduplicationKey(this.queue, "key")).isFalse();
			assertThat(admin.queues().deduplicationKeys(this.queue, "key")).isEmpty();
			assertThat(Stream.of(Deduplication.firstWins("key", HOUR), Deduplication.debounce("key", HOUR, HOUR),
					Deduplication.aggregate("key", HOUR, 9)))
				.allSatisfy((rule) -> assertThat(send(application, new Event("d", 1), rule).outcome())
					.isEqualTo(SendOutcome.ADDED));
			assertThat(admin.queues().info(this.queue).scheduled() + admin.queues().info(this.queue).ready())
				.isEqualTo(6);
			assertThat(admin.messages().find(this.queue, first)).isPresent();
			assertThatIllegalArgumentException().isThrownBy(() -> admin.control().freeDeduplicationKey(this.queue, " "))
				.withMessageContaining("'key'");
		}
	}

	@Test
	void nothingIsLeftOfAKeyThatWasFreedWhenItsMessagesAreGone() {
		try (ListenerApplication application = start()) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			send(application, "a", Deduplication.firstWins("key", HOUR));
			send(application, "b", Deduplication.debounce("key", HOUR, HOUR));
			send(application, new Event("c", 1), Deduplication.aggregate("key", HOUR, 9));
			send(application, new Event("c", 2), Deduplication.aggregate("key", HOUR, 9));
			admin.control().freeDeduplicationKey(this.queue, "key");
			admin.control().purge(this.queue, MessageState.READY);
			admin.control().purge(this.queue, MessageState.SCHEDULED);
			assertThat(redis.client().getKeys().countExists(key("dedup"), key("dedup:expiries"))).isZero();
		}
	}

	// Properties

	@Test
	void thePropertiesOfAQueueDeduplicateAPlainSend() {
		Digests handler = new Digests();
		String properties = "redelay.queue.queues[" + this.queue + "].deduplication.";
		try (ListenerApplication application = ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.with(properties + "key", "#{payload.name}")
			.with(properties + "mode", "aggregate")
			.with(properties + "max-wait", "1h")
			.with(properties + "max-count", "2")
			.with(properties + "max-size", "10KB")
			.start()) {
			application.queues().send(this.queue, new Event("a", 1));
			application.queues().send(this.queue, new Event("b", 2));
			assertThat(application.queues().send(this.queue, new Event("a", 3)).outcome())
				.isEqualTo(SendOutcome.GATHERED);
			Awaitility.await().until(() -> !handler.batches.isEmpty());
			assertThat(handler.batches).containsExactly(List.of(new Event("a", 1), new Event("a", 3)));
			assertThat(send(application, new Event("b", 4), Deduplication.firstWins("b", HOUR)).outcome())
				.isEqualTo(SendOutcome.ADDED);
			Awaitility.await().until(() -> handler.batches.contains(List.of(new Event("b", 4))));
			assertThatExceptionOfType(MessageSendException.class)
				.isThrownBy(() -> application.queues().send(this.queue, new Event(null, 1)))
				.withMessageContaining("'redelay.queue.queues." + this.queue + ".deduplication")
				.withMessageContaining("payload.name");
			assertThatExceptionOfType(MessageSendException.class)
				.isThrownBy(() -> application.queues().send(this.queue, new Event("a", 1), HOUR))
				.withMessageContaining(".deduplication'")
				.withMessageContaining("leave them out");
		}
	}

	@Test
	void theFirstWinsUnlessThePropertiesNameAnotherMode() {
		String properties = "redelay.queue.queues[" + this.queue + "].deduplication.";
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with(properties + "key", "#{payload.name}")
			.with(properties + "window", "1h")
			.start()) {
			SendResult first = application.queues().send(this.queue, new Event("a", 1));
			SendResult second = application.queues().send(this.queue, new Event("a", 2));
			assertThat(first.outcome()).isEqualTo(SendOutcome.ADDED);
			assertThat(second.outcome()).isEqualTo(SendOutcome.DUPLICATE);
			assertThat(second.id()).isEqualTo(first.id());
		}
	}

	@Test
	void thePropertiesOfAQueueExtendWindows() {
		String properties = "redelay.queue.queues[" + this.queue + "].deduplication.";
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with(properties + "key", "#{payload.name}")
			.with(properties + "window", "1h")
			.with(properties + "extend", "true")
			.start()) {
			QueueAdmin admin = application.bean(QueueAdmin.class);
			application.queues().send(this.queue, new Event("a", 1));
			Instant until = admin.queues().deduplicationKeys(this.queue, "a").get(0).until();
			Awaitility.await().until(() -> QueueState.now(redis).isAfter(until.minus(HOUR)));
			application.queues().send(this.queue, new Event("a", 2));
			assertThat(admin.queues().deduplicationKeys(this.queue, "a").get(0).until()).isAfter(until);
		}
	}

	@Test
	void thePropertiesOfAQueueGiveAGracePeriod() {
		String properties = "redelay.queue.queues[" + this.queue + "].deduplication.";
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with(properties + "key", "#{payload.name}")
			.with(properties + "mode", "aggregate")
			.with(properties + "grace-period", "10m")
			.with(properties + "max-wait", "1h")
			.with(properties + "max-count", "9")
			.start()) {
			Instant before = QueueState.now(redis);
			SendResult first = application.queues().send(this.queue, new Event("a", 1));
			assertThat(first.due()).isBetween(before.plusSeconds(600), before.plusSeconds(1200));
			Awaitility.await().until(() -> QueueState.now(redis).isAfter(first.due().minusSeconds(600)));
			assertThat(application.queues().send(this.queue, new Event("a", 2)).due()).isAfter(first.due());
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = ';', quoteCharacter = '|', value = {
			"mode=first-wins;'deduplication.key' is missing: it says",
			"key=a;'deduplication.window' is missing, which the mode first-wins needs",
			"key=a delay=1s longest-wait=1m;'deduplication.delay' is not for the mode first-wins",
			"key=a mode=first-wins;'deduplication.window' is missing",
			"key=a mode=first-wins window=0s;'window' of a deduplication must be 1 ms to 3650 days: PT0S",
			"key=a mode=first-wins window=1s max-count=3;'deduplication.max-count' is not for the mode first-wins",
			"key=a mode=debounce delay=1s;'deduplication.longest-wait' is missing",
			"key=a mode=debounce delay=2s longest-wait=1s;'longestWait' of a deduplication must be at least",
			"key=a mode=debounce delay=1s longest-wait=1m extend=true;'deduplication.extend' is not for the mode debounce",
			"key=a window=1s grace-period=1s;'deduplication.grace-period' is not for the mode first-wins",
			"key=a mode=aggregate max-wait=1s max-count=3 grace-period=2s;'maxWait' of a deduplication must be at least",
			"key=a mode=aggregate max-wait=1s max-count=3 grace-period=0s;'gracePeriod' of a deduplication must be 1 ms",
			"key=a mode=aggregate max-wait=1s max-count=0;'maxCount' of a deduplication must be 2 to 1000: 0",
			"key=#{payload. mode=first-wins window=1s;No ending suffix", "key=a mode=sometimes;sometimes" })
	void propertiesThatCannotWorkAreRefused(String values, String message) {
		ListenerApplication.Builder builder = ListenerApplication.on(redis);
		for (String value : values.split(" ")) {
			builder.with("redelay.queue.queues[" + this.queue + "].deduplication." + value.split("=")[0],
					value.split("=")[1]);
		}
		assertThatException().isThrownBy(builder::start)
			.havingRootCause()
			.withMessageContaining(message.replace("'deduplication.", ".deduplication."));
	}

	@Test
	void aListenerThatTakesOnePayloadIsRefusedWherePayloadsGather() {
		String properties = "redelay.queue.queues[" + this.queue + "].deduplication.";
		assertThatException()
			.isThrownBy(() -> ListenerApplication.on(redis)
				.bean(new Single())
				.with("queue", this.queue)
				.with(properties + "key", "#{payload.name}")
				.with(properties + "mode", "aggregate")
				.with(properties + "max-wait", "1h")
				.with(properties + "max-count", "2")
				.start())
			.withMessageContaining("Single.handle")
			.withMessageContaining("'redelay.queue.queues." + this.queue + ".deduplication.mode'")
			.withMessageContaining("Take a List<Event>");
	}

	private ListenerApplication start(Object... beans) {
		ListenerApplication.Builder builder = ListenerApplication.on(redis).with("queue", this.queue);
		for (Object bean : beans) {
			builder.bean(bean);
		}
		return builder.start();
	}

	private SendResult send(ListenerApplication application, Object payload, Deduplication deduplication) {
		return application.queues().send(OutboundMessage.to(this.queue, payload).deduplicate(deduplication));
	}

	private List<String> payloads() {
		return this.state.messages().values().stream().map((envelope) -> envelope.get("payload").toString()).toList();
	}

	private String key(String name) {
		return "redelay:{" + this.queue + "}:" + name;
	}

	/**
	 * What is left of the keys of messages.
	 */
	private Map<Object, Object> keys() {
		return redis.client().getMap(key("dedup"), StringCodec.INSTANCE).readAllMap();
	}

	record Event(String name, int number) {

	}

	static class Recorder {

		final List<String> payloads = new CopyOnWriteArrayList<>();

		volatile RuntimeException failure;

		volatile CountDownLatch latch = new CountDownLatch(0);

		@QueueListener("${queue}")
		void handle(String payload) throws InterruptedException {
			this.payloads.add(payload);
			RuntimeException failure = this.failure;
			this.latch.await();
			if (failure != null) {
				throw failure;
			}
		}

	}

	static class Single {

		@QueueListener("${queue}")
		void handle(Event event) {
		}

	}

	static class Digests {

		final List<List<Event>> batches = new CopyOnWriteArrayList<>();

		volatile RuntimeException failure;

		volatile String rejected = "";

		@QueueListener("${queue}")
		void handle(List<Event> events, Acknowledgment acknowledgment) {
			this.batches.add(new ArrayList<>(events));
			if (this.failure != null) {
				throw this.failure;
			}
			if (events.stream().anyMatch((event) -> event.name().equals(this.rejected))) {
				throw new RejectMessageException("no");
			}
		}

	}

}
