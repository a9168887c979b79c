package io.redelay.testing;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of dead messages that are redriven by a rule, whose time a test moves.
 */
@RedelayTest(value = Reminders.class, properties = { "redelay.queue.queues.failing.max-attempts=1",
		"redelay.queue.queues.failing.dead-letters.redrive.delay=1h",
		"redelay.queue.queues.failing.dead-letters.redrive.rounds=2", "redelay.queue.queues.nightly.max-attempts=1",
		"redelay.queue.queues.nightly.dead-letters.redrive.cron=0 0 3 * * *" })
@Import(RedriveRoundIntegrationTests.Failing.class)
class RedriveRoundIntegrationTests {

	@Autowired
	private Failing failing;

	@Autowired
	private QueueTester tester;

	@Autowired
	private QueueOperations queues;

	@Autowired
	private QueueAdmin admin;

	@BeforeEach
	void begin() {
		this.tester.purgeAll();
		this.failing.attempts.clear();
	}

	@Test
	void aRoundIsDueWhenItsDelayIsOver() {
		die("failing");
		this.tester.advanceTime(Duration.ofMinutes(40));
		this.tester.awaitDrained();
		assertThat(this.failing.attempts).hasSize(1);
		this.tester.advanceTime(Duration.ofMinutes(21));
		awaitDead("failing", 2);
		this.tester.advanceTime(Duration.ofMinutes(59));
		this.tester.awaitDrained();
		assertThat(this.failing.attempts).as("the time before its second death does not count").hasSize(2);
		this.tester.advanceTime(Duration.ofMinutes(2));
		awaitDead("failing", 3);
		this.tester.advanceTime(Duration.ofDays(1));
		this.tester.awaitDrained();
		assertThat(this.failing.attempts).as("it had both rounds").hasSize(3);
	}

	@Test
	void aRoundIsDueEachNight() {
		die("nightly");
		for (int nights = 1; nights <= 3; nights++) {
			this.tester.advanceTime(Duration.ofDays(1));
			awaitDead("nightly", nights + 1);
		}
		this.tester.advanceTime(Duration.ofDays(1));
		this.tester.awaitDrained();
		assertThat(this.failing.attempts).hasSize(4);
	}

	private void die(String queue) {
		Awaitility.await()
			.until(() -> this.admin.queues().names().contains(queue)
					&& this.admin.deadLetters().redriveStatus(queue).isPresent());
		this.queues.send(queue, "x");
		awaitDead(queue, 1);
	}

	private void awaitDead(String queue, int attempts) {
		Awaitility.await()
			.until(() -> this.failing.attempts.size() == attempts && this.admin.queues().info(queue).dead() == 1);
	}

	static class Failing {

		final List<String> attempts = new CopyOnWriteArrayList<>();

		@QueueListener(queues = { "failing", "nightly" })
		void handle(String payload) throws IOException {
			this.attempts.add(payload);
			throw new IOException("no");
		}

	}

}
