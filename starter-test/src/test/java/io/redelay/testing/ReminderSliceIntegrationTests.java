package io.redelay.testing;

// Types of this package are imported as well, for the guide shows them.
// tag::test[]
import java.time.Duration;

import io.redelay.testing.QueueTester;
import io.redelay.testing.RedelayTest;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;

import static org.assertj.core.api.Assertions.assertThat;

@RedelayTest(Reminders.class)
class ReminderSliceIntegrationTests {

	@Autowired
	private Reminders reminders;

	@Autowired
	private QueueTester tester;

	@Test
	void guestIsRemindedADayLater() {
		this.reminders.remind("ann");
		assertThat(this.tester.sent()).hasSent("reminders", "ann", Duration.ofDays(1));
		this.tester.advanceTime(Duration.ofDays(1)); // <1>
		this.tester.awaitDrained(); // <2>
		assertThat(this.reminders.reminded).containsExactly("ann");
		assertThat(this.tester.sent()).payloadsTo("reminder-log").containsExactly("ann"); // <3>
	}

}
// end::test[]
