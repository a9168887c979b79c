package io.redelay.queue.actuate;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import io.redelay.queue.FailedAttempt;
import io.redelay.queue.MessageState;
import io.redelay.queue.admin.MessageWork;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.work.LogLine;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TimelineEntry}.
 */
class TimelineEntryTests {

	private static final Instant SENT = Instant.parse("2026-01-01T10:00:00Z");

	@Test
	void saysHowManyEarlierAttemptsAreNotKept() {
		List<TimelineEntry> timeline = TimelineEntry.of(message(attempts(14, 10), work(0, 0)));
		assertThat(timeline).extracting(TimelineEntry::what)
			.startsWith("sent", "omitted", "failed")
			.containsOnlyOnce("omitted");
		assertThat(timeline.get(1).detail()).isEqualTo("4 earlier attempts are not shown");
		assertThat(timeline.get(2).attempt()).isEqualTo(5);
	}

	@Test
	void saysNothingOfThatWhereAllAreKept() {
		assertThat(TimelineEntry.of(message(attempts(10, 10), work(0, 0)))).extracting(TimelineEntry::what)
			.doesNotContain("omitted");
		// It was redriven, or its handler made progress: it counts anew.
		assertThat(TimelineEntry.of(message(attempts(3, 2), work(0, 0)))).extracting(TimelineEntry::what)
			.doesNotContain("omitted");
	}

	@Test
	void saysHowManyEarlierLinesAreNotShown() {
		List<TimelineEntry> timeline = TimelineEntry.of(message(List.of(), work(101, 20)));
		assertThat(timeline).filteredOn((entry) -> entry.what().equals("log")).hasSize(100);
		assertThat(timeline.get(1).detail()).isEqualTo("21 earlier lines are not shown");
		assertThat(TimelineEntry.of(message(List.of(), work(100, 0)))).extracting(TimelineEntry::what)
			.doesNotContain("omitted");
		assertThat(TimelineEntry.of(message(List.of(), work(101, 0)))).extracting(TimelineEntry::detail)
			.contains("1 earlier line is not shown");
	}

	/**
	 * The last of some attempts.
	 */
	private static List<FailedAttempt> attempts(int all, int kept) {
		return IntStream.rangeClosed(all - kept + 1, all)
			.mapToObj((i) -> new FailedAttempt(SENT.plusSeconds(i), "shop-1", "mail", null, "x.Y", "no", null, i, 0))
			.toList();
	}

	private static MessageWork work(int lines, long dropped) {
		return new MessageWork(null,
				IntStream.range(0, lines).mapToObj((i) -> new LogLine(SENT.plusSeconds(i), "line " + i)).toList(),
				dropped, null);
	}

	private static QueuedMessage message(List<FailedAttempt> history, MessageWork work) {
		return new QueuedMessage("orders", "a", "a", MessageState.SCHEDULED, SENT, SENT, history.size(), 0, Map.of(),
				"application/json", new byte[0], null, false, null, null, history, null, null, null, null, null, null,
				work, null, Set.of(), 0);
	}

}
