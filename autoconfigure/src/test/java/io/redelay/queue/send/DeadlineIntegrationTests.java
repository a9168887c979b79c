package io.redelay.queue.send;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;

import io.redelay.queue.DeathReason;
import io.redelay.queue.Deduplication;
import io.redelay.queue.ExpiryAction;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.SendResult;
import io.redelay.queue.admin.CommandOutcome;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.script.QueueScripts;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the deadline of a message that is sent and waits.
 */
class DeadlineIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static ListenerApplication application;

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis).start();
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void oneThatIsOverByTheClockOfRedisIsRefused() {
		Instant past = QueueState.now(redis).minusSeconds(1);
		assertRefused(to("now").deadline(past))
			.withMessageContaining(Instant.ofEpochMilli(past.toEpochMilli() + 1).toString());
		Instant inAnHour = QueueState.now(redis).plus(HOUR);
		assertRefused(to("later").delay(HOUR.multipliedBy(2)).deadline(inAnHour));
		assertRefused(to("at").dueAt(inAnHour).deadline(Duration.ofMinutes(10)));
		assertRefused(to("keyed").orderingKey("k").id("x").timeToLive(HOUR).deadline(past));
		assertThat(this.state.messages()).isEmpty();
		assertThat(redis.client().getKeys().countExists("redelay:{" + this.queue + "}:expiries")).isZero();
		send(to("in time").delay(HOUR).deadline(inAnHour.plus(HOUR)));
		assertThat(this.state.messages()).hasSize(1);
	}

	@Test
	void ofWhatIsSentTogetherNothingIsAdded() {
		assertThatExceptionOfType(MessageSendException.class)
			.isThrownBy(() -> queues()
				.sendAll(List.of(to("one"), to("two").id("two").deadline(QueueState.now(redis).minusSeconds(1)))))
			.withMessageContaining("2 messages to the queue '" + this.queue + "' was not sent")
			.withMessageContaining("with the id 'two'")
			.withMessageContaining("its deadline is")
			.withMessageContaining("it is due");
		assertThat(this.state.messages()).isEmpty();
	}

	@Test
	void itDoesNotHarmWhatOthersSendAtTheSameTime() {
		Instant past = QueueState.now(redis).minusSeconds(1);
		List<CompletableFuture<SendResult>> sent = IntStream.range(0, 200)
			.mapToObj((i) -> queues().sendAsync((i % 10 == 0) ? to("late").deadline(past) : to("x" + i)))
			.toList();
		int refused = 0;
		for (CompletableFuture<SendResult> each : sent) {
			try {
				each.get();
			}
			catch (ExecutionException ex) {
				assertThat(ex.getCause()).isInstanceOf(MessageSendException.class)
					.hasMessageContaining("its deadline is");
				refused++;
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}
		assertThat(refused).isEqualTo(20);
		assertThat(this.state.messages()).hasSize(180);
	}

	@Test
	void whatWaitsForItIsDeadThoughThereIsNoListener() {
		send(to("waits").id("waits").timeToLive(HOUR).deadline(Duration.ofMillis(100)));
		send(to("dropped").id("dropped").deadline(Duration.ofMillis(100), ExpiryAction.DROP));
		send(to("first").orderingKey("k").deadline(HOUR));
		send(to("behind").id("behind").orderingKey("k").deadline(Duration.ofMillis(100)));
		send(to("short").id("short").timeToLive(Duration.ofMillis(50)).deadline(Duration.ofMillis(100)));
		admin().control().pause(this.queue);
		awaitTime(Duration.ofMillis(150));
		assertThat(admin().queues().info(this.queue).ready()).isOne();
		assertThat(admin().messages().find(this.queue, "dropped")).isEmpty();
		assertThat(find("waits").death().reason()).isEqualTo(DeathReason.DEADLINE);
		assertThat(find("waits").death().message()).contains("had not begun by its deadline");
		assertThat(find("behind").death().reason()).isEqualTo(DeathReason.DEADLINE);
		assertThat(find("short").death().reason()).isEqualTo(DeathReason.EXPIRED);
	}

	@Test
	void whatWouldBeDueThenIsNotRescheduled() {
		Instant sent = send(to("x").id("x").deadline(HOUR)).due();
		send(to("later").id("later").delay(Duration.ofMinutes(1)).deadline(HOUR));
		CommandOutcome outcome = admin().messages().reschedule(this.queue, "x", HOUR.multipliedBy(2));
		assertThat(outcome.done()).isFalse();
		assertThat(outcome.state()).isEqualTo(MessageState.READY);
		assertThat(outcome.reason()).contains("its deadline is " + sent.plus(HOUR));
		assertThat(admin().messages().rescheduleAt(this.queue, "later", sent.plus(HOUR.multipliedBy(2))).done())
			.isFalse();
		assertThat(admin().messages().rescheduleAt(this.queue, "x", sent.plus(HOUR)).reason()).as("at the deadline")
			.contains("its deadline is " + sent.plus(HOUR));
		assertThat(find("x").state()).isEqualTo(MessageState.READY);
		assertThat(find("later").state()).isEqualTo(MessageState.SCHEDULED);
		assertThat(admin().messages().rescheduleAt(this.queue, "x", sent.plus(HOUR).minusMillis(1)).done())
			.as("a millisecond before")
			.isTrue();
		assertThat(admin().messages().reschedule(this.queue, "x", Duration.ofMinutes(30)).done()).isTrue();
		assertThat(admin().messages().runNow(this.queue, "later").done()).isTrue();
		assertThat(redis.client().<String>getScoredSortedSet("redelay:{" + this.queue + "}:expiries").size())
			.isEqualTo(2);
	}

	@Test
	void whatIsRescheduledKeepsItsDeadline() {
		send(to("x").id("x").deadline(Duration.ofMillis(400)));
		admin().messages().reschedule(this.queue, "x", Duration.ofMillis(200));
		admin().messages().runNow(this.queue, "x");
		awaitTime(Duration.ofMillis(450));
		assertThat(admin().queues().info(this.queue).dead()).isOne();
		assertThat(find("x").death().reason()).isEqualTo(DeathReason.DEADLINE);
		CommandOutcome outcome = admin().messages().runNow(this.queue, "x");
		assertThat(outcome.done()).isFalse();
	}

	/**
	 * What is sent to a machine that is held up in between is not put together, and is
	 * sent again.
	 */
	@Test
	void theNewestHasItsOwnAndWhatGathersThatOfTheFirst() {
		Duration wait = Duration.ofMillis(100);
		sendToBePutTogether(wait);
		while (this.state.messages().size() != 2 || !this.state.dead().isEmpty()) {
			List.of(MessageState.READY, MessageState.SCHEDULED, MessageState.DEAD)
				.forEach((each) -> admin().control().purge(this.queue, each));
			wait = wait.multipliedBy(2);
			sendToBePutTogether(wait);
		}
		awaitTime(wait.multipliedBy(4));
		assertThat(admin().queues().info(this.queue).ready()).isOne();
		assertThat(this.state.dead()).singleElement()
			.satisfies((dead) -> assertThat(dead.raw()).contains("[{\"n\":1},{\"n\":2}]"));
		assertThat(this.state.raw()).singleElement().satisfies((raw) -> assertThat(raw).contains("new"));
	}

	@Test
	void aWaitOfDeduplicationThatIsLongerIsRefused() {
		try (ListenerApplication configured = ListenerApplication.on(redis)
			.with("redelay.queue.queues[" + this.queue + "].deduplication.key", "k")
			.with("redelay.queue.queues[" + this.queue + "].deduplication.mode", "debounce")
			.with("redelay.queue.queues[" + this.queue + "].deduplication.delay", "10m")
			.with("redelay.queue.queues[" + this.queue + "].deduplication.longest-wait", "1h")
			.start()) {
			assertThatExceptionOfType(MessageSendException.class)
				.isThrownBy(() -> configured.queues().send(to("x").deadline(Duration.ofMinutes(5))))
				.withMessageContaining("PT5M")
				.withMessageContaining("PT10M");
		}
	}

	@Test
	void aPublishThatComesTooLateIsRefusedByAllGroups() {
		String topic = "t-" + this.queue;
		List.of("a", "b")
			.forEach((group) -> application.bean(QueueScripts.class)
				.topics()
				.subscribe()
				.run(topic, group, Duration.ZERO, DeclaredFilter.NONE)
				.join());
		assertThatExceptionOfType(MessageSendException.class).isThrownBy(
				() -> queues().publish(OutboundMessage.to(topic, "x").deadline(QueueState.now(redis).minusSeconds(1))))
			.withMessageContaining("was published to no group")
			.withMessageContaining("its deadline is");
		queues().publish(OutboundMessage.to(topic, "y").id("y").deadline(Duration.ofMillis(100)));
		awaitTime(Duration.ofMillis(150));
		for (String group : List.of("a", "b")) {
			assertThat(admin().queues().info(topic + "@" + group).dead()).isOne();
			assertThat(admin().messages().find(topic + "@" + group, "y")).get()
				.satisfies((dead) -> assertThat(dead.death().reason()).isEqualTo(DeathReason.DEADLINE));
		}
	}

	private void sendToBePutTogether(Duration wait) {
		Deduplication newest = Deduplication.debounce("d" + wait, wait, wait.multipliedBy(20));
		send(to("old").deadline(wait.multipliedBy(2)).deduplicate(newest));
		send(to("new").deadline(HOUR).deduplicate(newest));
		Deduplication gathers = Deduplication.aggregate("a" + wait, wait, 10);
		send(to(Map.of("n", 1)).deadline(wait.multipliedBy(3)).deduplicate(gathers));
		send(to(Map.of("n", 2)).deadline(HOUR).deduplicate(gathers));
	}

	private ThrowableAssertAlternative<MessageSendException> assertRefused(OutboundMessage message) {
		return assertThatExceptionOfType(MessageSendException.class).isThrownBy(() -> send(message))
			.withMessageContaining("its deadline is")
			.withMessageContaining("and it is due")
			.withMessageContaining("by the clock of Redis");
	}

	private OutboundMessage to(Object payload) {
		return OutboundMessage.to(this.queue, payload);
	}

	private static SendResult send(OutboundMessage message) {
		return queues().send(message);
	}

	private QueuedMessage find(String id) {
		return admin().messages().find(this.queue, id).orElseThrow();
	}

	private static void awaitTime(Duration time) {
		Instant now = QueueState.now(redis);
		Awaitility.await()
			.pollInterval(Duration.ofMillis(10))
			.until(() -> QueueState.now(redis).isAfter(now.plus(time)));
	}

	private static QueueOperations queues() {
		return application.queues();
	}

	private static QueueAdmin admin() {
		return application.bean(QueueAdmin.class);
	}

}
