package io.redelay.testing;

// Types of this package are imported as well, for the guide shows them.
// tag::test[]
import java.time.Duration;

import io.redelay.testing.RecordingQueueOperations;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

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
