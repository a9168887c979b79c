package io.redelay.queue.send;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.SendResult;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for due times that are spread.
 */
class SpreadIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final Duration SPREAD = Duration.ofMinutes(10);

	private static ListenerApplication application;

	private final String queue = TestRedis.queue();

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis).start();
	}

	@AfterAll
	static void close() {
		application.close();
	}

	@Test
	void dueTimesAreSpreadEvenlyAndAreNeverEarly() {
		Instant due = Instant.parse("2068-01-01T09:00:00Z");
		List<SendResult> results = application.queues()
			.sendAll(IntStream.range(0, 4000)
				.mapToObj((i) -> OutboundMessage.to(this.queue, i).dueAt(due).spread(SPREAD))
				.toList());
		List<Long> later = results.stream().map((result) -> Duration.between(due, result.due()).toMillis()).toList();
		assertThat(later).allMatch((millis) -> millis >= 0 && millis <= SPREAD.toMillis());
		// A tenth of them each, give or take five standard deviations.
		assertThat(later.stream()
			.collect(Collectors.groupingBy((millis) -> Math.min(9, millis * 10 / SPREAD.toMillis()),
					Collectors.counting()))
			.values()).hasSize(10).allMatch((count) -> count > 300 && count < 500);
	}

	@Test
	void theResultHasTheTimeThatWasChosen() {
		SendResult result = application.queues()
			.send(OutboundMessage.to(this.queue, "a").delay(Duration.ofHours(1)).spread(SPREAD));
		assertThat(application.bean(QueueAdmin.class)
			.messages()
			.browse(this.queue, MessageState.SCHEDULED, 0, 10)
			.messages()).singleElement().extracting(QueuedMessage::dueAt).isEqualTo(result.due());
	}

	@Test
	void aDelayIsKept() {
		List<Instant> due = IntStream.range(0, 50)
			.mapToObj((i) -> application.queues()
				.send(OutboundMessage.to(this.queue, i).delay(Duration.ofHours(1)).spread(SPREAD))
				.due())
			.toList();
		List<QueuedMessage> scheduled = application.bean(QueueAdmin.class)
			.messages()
			.browse(this.queue, MessageState.SCHEDULED, 0, 100)
			.messages();
		assertThat(due).doesNotHaveDuplicates().hasSameSizeAs(scheduled);
		assertThat(scheduled).allSatisfy((message) -> assertThat(Duration.between(message.sentAt(), message.dueAt()))
			.isBetween(Duration.ofHours(1), Duration.ofHours(1).plus(SPREAD).plusMillis(1)));
	}

	@Test
	void whatIsDueNowIsSpreadAsWell() {
		List<SendResult> results = application.queues()
			.sendAll(IntStream.range(0, 100)
				.mapToObj((i) -> OutboundMessage.to(this.queue, i).spread(Duration.ofHours(1)))
				.toList());
		assertThat(application.bean(QueueAdmin.class)
			.messages()
			.browse(this.queue, MessageState.SCHEDULED, 0, 500)
			.messages()).hasSizeGreaterThan(95);
		assertThat(results.stream().map(SendResult::due).distinct()).hasSizeGreaterThan(95);
	}

	@Test
	void noSpreadChangesNothing() {
		SendResult result = application.queues().send(OutboundMessage.to(this.queue, "a").spread(Duration.ZERO));
		assertThat(application.bean(QueueAdmin.class).messages().find(this.queue, result.id()).orElseThrow().state())
			.isEqualTo(MessageState.READY);
	}

	@Test
	void aSpreadIsRefusedThatEndsTooLate() {
		OutboundMessage message = OutboundMessage.to(this.queue, "a");
		assertThatIllegalArgumentException().isThrownBy(() -> message.spread(Duration.ofMillis(-1)))
			.withMessage("'spread' must be 0 to 3650 days: PT-0.001S");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> message.delay(Duration.ofDays(3650)).spread(Duration.ofDays(1)))
			.withMessageStartingWith("'delay' and 'spread' must be 3650 days together at most");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> message.dueAt(Instant.parse("2468-06-01T00:00:00Z")).spread(Duration.ofDays(3650)))
			.withMessageStartingWith("'dueAt' and 'spread' must end before 2469");
	}

}
