package io.redelay.testing;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

// tag::test[]
class RecordedReminderTests {

	private final RecordingQueueOperations queues = new RecordingQueueOperations();

	private final Reminders reminders = new Reminders(this.queues);

	@Test
	void reminderIsSentForTheNextDay() {
		this.reminders.remind("ann");
		assertThat(this.queues.sent()).hasSent("reminders", "ann", Duration.ofDays(1));
	}

}
// end::test[]
