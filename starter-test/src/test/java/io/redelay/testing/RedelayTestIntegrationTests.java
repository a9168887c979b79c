package io.redelay.testing;

import java.time.Duration;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@RedelayTest(properties = { "spring.data.redis.host=nowhere.invalid", "spring.data.redis.database=3",
		"redelay.queue.listener.backoff.initial-interval=1h", "redelay.queue.listener.backoff.max-interval=1h" })
class RedelayTestIntegrationTests {

	@Autowired
	private Reminders reminders;

	@Autowired
	private QueueOperations queues;

	@Autowired
	private QueueAdmin admin;

	@Autowired
	private QueueTester tester;

	@BeforeEach
	void forgetEarlierTests() {
		this.tester.purgeAll();
		this.reminders.reminded.clear();
		this.reminders.logged.clear();
	}

	@Test
	void listenersAreThereAndOtherComponentsAreNot(@Autowired ApplicationContext context) {
		assertThat(context.getBeanNamesForType(OtherListener.class)).hasSize(1);
		assertThat(context.getBeanNamesForType(Unrelated.class)).isEmpty();
		assertThat(context.getBeanNamesForType(RedisServer.class)).hasSize(1);
	}

	@Test
	void whatIsScheduledBecomesDueWhenTimeAdvances() {
		this.reminders.remind("ann");
		this.tester.advanceTime(Duration.ofHours(23));
		this.tester.awaitDrained();
		assertThat(this.reminders.reminded).isEmpty();
		assertThat(this.tester.scheduled(Reminders.QUEUE)).singleElement()
			.satisfies((message) -> assertThat(Duration.between(message.sentAt(), message.dueAt()))
				.isBetween(Duration.ofMinutes(59), Duration.ofMinutes(61)));
		this.tester.advanceTime(Duration.ofHours(1));
		this.tester.awaitDrained();
		assertThat(this.reminders.reminded).containsExactly("ann");
	}

	@Test
	void drainedMeansThatWhatTheHandlerSentIsHandledToo() {
		for (int i = 0; i < 50; i++) {
			this.queues.send(Reminders.QUEUE, "guest-" + i);
		}
		this.tester.awaitDrained();
		assertThat(this.reminders.logged).hasSize(50);
		assertThat(this.tester.sent()).hasSentTo(Reminders.QUEUE, 50).hasSentTo("reminder-log", 50);
	}

	@Test
	void backoffPassesAsTimeAdvances() {
		this.queues.send(Reminders.QUEUE, "unknown");
		this.tester.awaitDrained(Reminders.QUEUE);
		assertThat(this.tester.scheduled(Reminders.QUEUE)).singleElement()
			.satisfies((message) -> assertThat(message.failures()).isEqualTo(1));
		this.tester.advanceTime(Reminders.QUEUE, Duration.ofHours(2));
		this.tester.awaitDrained(Reminders.QUEUE);
		assertThat(this.tester.messages(Reminders.QUEUE, MessageState.DEAD)).hasSize(1);
	}

	@Test
	void theTimeToLiveBeginsWhenTheMovedMessageIsDue() {
		this.queues.send(OutboundMessage.to(Reminders.QUEUE, "in time")
			.delay(Duration.ofDays(2))
			.timeToLive(Duration.ofHours(1)));
		this.tester.advanceTime(Duration.ofDays(3));
		this.tester.awaitDrained();
		assertThat(this.reminders.reminded).containsExactly("in time");
		assertThat(this.admin.queues().info(Reminders.QUEUE).dead()).isZero();
	}

	@Test
	void aDeadlineStaysWhereItIsWhenTheMessageMoves() {
		this.queues.send(
				OutboundMessage.to(Reminders.QUEUE, "in time").delay(Duration.ofDays(2)).deadline(Duration.ofDays(3)));
		this.tester.advanceTime(Duration.ofDays(5));
		this.tester.awaitDrained();
		assertThat(this.reminders.reminded).containsExactly("in time");
		assertThat(this.admin.queues().info(Reminders.QUEUE).dead()).isZero();
	}

	@Test
	void whatCannotBeDrainedIsNamed() {
		this.queues.send("nobody-listens", "x");
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> this.tester.awaitDrained("nobody-listens", Duration.ofMillis(50)))
			.withMessageContaining(
					"the queue 'nobody-listens' has 1 ready and 0 in flight, and no listener consumes it");
		assertThatExceptionOfType(AssertionError.class)
			.isThrownBy(() -> this.tester.awaitDrained(Duration.ofMillis(50)))
			.withMessageContaining("nobody-listens");
	}

	@Test
	void eachTestBeginsWithNothingSent() {
		assertThat(this.tester.sent()).isEmpty();
	}

}
