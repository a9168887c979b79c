package com.example.reminders;

import java.time.Duration;

import io.redelay.queue.MessageState;
import io.redelay.testing.EmbeddedRedis;
import io.redelay.testing.QueueTester;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest
@EmbeddedRedis
@ExtendWith(OutputCaptureExtension.class)
class RemindersIntegrationTests {

	@Autowired
	private Reminders reminders;

	@Autowired
	private Mails mails;

	@Autowired
	private QueueTester tester;

	@Test
	void aReminderComesAWeekLater(CapturedOutput output) {
		this.reminders.remindLater(Duration.ofDays(7), new Reminder("ann", "call Bob"));
		this.tester.awaitDrained("reminders");
		assertThat(output).doesNotContain("ann: call Bob");
		this.tester.advanceTime("reminders", Duration.ofDays(7)); // <1>
		this.tester.awaitDrained("reminders"); // <2>
		assertThat(output).contains("ann: call Bob");
	}

	@Test
	void aMailWithoutAnAddressIsDead() {
		this.mails.mailLater(new Reminder("ann", "call Bob"));
		for (int attempt = 1; attempt <= 3; attempt++) {
			this.tester.awaitDrained("mails");
			this.tester.advanceTime("mails", Duration.ofSeconds(10)); // <3>
		}
		assertThat(this.tester.messages("mails", MessageState.DEAD)).hasSize(1);
	}

}
