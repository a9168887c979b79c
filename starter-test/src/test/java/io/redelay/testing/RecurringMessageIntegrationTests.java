package io.redelay.testing;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.redelay.queue.QueueListener;
import io.redelay.queue.recurring.RecurringMessage;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.queue.recurring.RecurringTick;
import io.redelay.queue.work.RecurringState;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of recurring messages that share a context: each begins with a purge.
 */
@RedelayTest(Reminders.class)
@Import(RecurringMessageIntegrationTests.Hourly.class)
class RecurringMessageIntegrationTests {

	@Autowired
	private Hourly hourly;

	@Autowired
	private QueueTester tester;

	@BeforeEach
	void begin(@Autowired RecurringMessages recurring) {
		Awaitility.await().until(() -> recurring.find("hourly", "hourly").isPresent());
		this.tester.purgeAll();
		this.hourly.ticks.clear();
	}

	@Test
	void eachHourThatPassesHasARun() {
		for (int hours = 1; hours <= 4; hours++) {
			this.tester.advanceTime(Duration.ofHours(1));
			this.tester.awaitDrained();
			assertThat(this.hourly.ticks).hasSize(hours);
		}
		assertHourByHour();
	}

	@Test
	void hoursThatPassWithoutAPauseHaveARunEach() {
		this.tester.advanceTime(Duration.ofHours(1));
		this.tester.advanceTime(Duration.ofHours(1));
		this.tester.awaitDrained();
		assertThat(this.hourly.ticks).hasSize(2);
		assertHourByHour();
	}

	@Test
	void afterAPurgeTheyGoOn() {
		assertThat(this.tester.scheduled("hourly")).hasSize(1);
		this.tester.purgeAll();
		this.tester.advanceTime(Duration.ofHours(1));
		this.tester.awaitDrained();
		assertThat(this.hourly.ticks).hasSize(1);
	}

	@Test
	void eachRunFindsWhatTheOneBeforeHandedOn(@Autowired RecurringMessages recurring) {
		recurring.forgetState("hourly", "hourly");
		for (int hours = 1; hours <= 3; hours++) {
			this.tester.advanceTime(Duration.ofHours(1));
			this.tester.awaitDrained();
			assertThat(recurring.find("hourly", "hourly").orElseThrow().state()).isEqualTo(String.valueOf(hours));
		}
	}

	private void assertHourByHour() {
		for (int i = 1; i < this.hourly.ticks.size(); i++) {
			assertThat(Duration.between(this.hourly.ticks.get(i - 1), this.hourly.ticks.get(i)))
				.isEqualTo(Duration.ofHours(1));
		}
	}

	static class Hourly {

		final List<Instant> ticks = new CopyOnWriteArrayList<>();

		@RecurringMessage(name = "hourly", every = "1h")
		@QueueListener("hourly")
		void handle(RecurringTick tick, RecurringState<Integer> runs) {
			this.ticks.add(tick.scheduledFor());
			runs.set(runs.get().orElse(0) + 1);
		}

	}

}
