package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.redelay.queue.diagnosis.Throughput;
import io.redelay.queue.measure.QueueCounts;
import io.redelay.queue.script.admin.StatsKey;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what became of messages lately.
 */
class RecentThroughputTests {

	private static final Instant MINUTE = Instant.parse("2026-11-23T12:00:00Z");

	@Test
	void countsThatComeWithANewMinuteAreOfTheSecondsBeforeIt() {
		QueueCounts fiveSeconds = new QueueCounts(500, 500, 0, 0, 0, QueueCounts.Times.NONE, QueueCounts.Times.NONE);
		StatsKey.History history = new StatsKey.History(MINUTE.plusMillis(50), 0,
				Map.of(MINUTE.getEpochSecond() / 60, new StatsKey.History.Minute(fiveSeconds, 0L)), Map.of());
		Throughput recent = RecentThroughput.of("orders", List.of(history), Duration.ZERO);
		assertThat(recent).isNotNull();
		assertThat(recent.handled()).isEqualTo(500);
		assertThat(recent.span()).isEqualTo(Duration.ofSeconds(5));
	}

	@Test
	void whatBecameReadyArrivesNotWhatWasSent() {
		QueueCounts counts = new QueueCounts(9000, 600, 0, 0, 0, new QueueCounts.Times(600, 60_000, 2000),
				QueueCounts.Times.NONE);
		StatsKey.History steady = history(9,
				Map.of(3, ready(counts, 70), 2, ready(counts, 70), 1, ready(counts, 9), 0, ready(counts, 9)));
		assertThat(arrived(Duration.ZERO, steady)).as("2 times 600 left, and 61 fewer wait")
			.isEqualTo((1200 - 61) / 90.0);
	}

	@Test
	void afterAnIdleTimeWhatWasSentForLaterDoesNotArrive() {
		QueueCounts onlySent = new QueueCounts(9000, 0, 0, 0, 0, QueueCounts.Times.NONE, QueueCounts.Times.NONE);
		StatsKey.History idleBefore = history(0, Map.of(0, ready(onlySent, 0)));
		assertThat(arrived(Duration.ZERO, idleBefore)).isZero();
		assertThat(arrived(Duration.ofSeconds(3), history(300, Map.of(0, ready(onlySent, 0))))).isEqualTo(300 / 30.0);
	}

	@Test
	void afterAnIdleTimeItIsUnknownSinceWhenMessagesWait() {
		QueueCounts waited = new QueueCounts(10, 600, 0, 0, 0, new QueueCounts.Times(600, 60_000, 40_000),
				QueueCounts.Times.NONE);
		assertThat(arrived(Duration.ZERO, history(0, Map.of(0, ready(waited, 0))))).as("they were due before").isNull();
		assertThat(arrived(Duration.ofMinutes(9), history(70, Map.of(0, ready(QueueCounts.NONE, 70))))).isNull();
	}

	@Test
	void theMinuteThatRunsServesIfNothingIsKnownBefore() {
		QueueCounts waited = new QueueCounts(10, 600, 0, 0, 0, new QueueCounts.Times(600, 60_000, 40_000),
				QueueCounts.Times.NONE);
		assertThat(arrived(Duration.ofMinutes(9), history(70, Map.of(1, ready(waited, 370), 0, ready(waited, 70)))))
			.isEqualTo(300 / 30.0);
	}

	@Test
	void aPartitionToWhichNothingHappensHidesNothing() {
		QueueCounts counts = new QueueCounts(600, 600, 0, 0, 0, new QueueCounts.Times(600, 60_000, 2000),
				QueueCounts.Times.NONE);
		StatsKey.History steady = history(70, Map.of(2, ready(counts, 70), 1, ready(counts, 70), 0, ready(counts, 70)));
		assertThat(arrived(Duration.ofMinutes(9), steady, history(0, Map.of(9, ready(counts, 5)))))
			.isEqualTo(1200 / 90.0);
		assertThat(arrived(Duration.ofMinutes(9), steady, history(5, Map.of(9, ready(counts, 5)))))
			.isEqualTo(1200 / 90.0);
		assertThat(arrived(Duration.ofMinutes(9), steady, history(6, Map.of(9, ready(counts, 5)))))
			.as("one more became due, nobody knows when")
			.isNull();
	}

	private static @Nullable Double arrived(Duration oldest, StatsKey.History... partitions) {
		Throughput recent = RecentThroughput.of("orders", List.of(partitions), oldest);
		assertThat(recent).isNotNull();
		return recent.arrivals().perSecond();
	}

	/**
	 * Half a minute after a minute has begun.
	 * @param minutes by how many minutes ago they were
	 */
	private static StatsKey.History history(long ready, Map<Integer, StatsKey.History.Minute> minutes) {
		Map<Long, StatsKey.History.Minute> counted = new HashMap<>();
		minutes.forEach((ago, minute) -> counted.put(MINUTE.getEpochSecond() / 60 - ago, minute));
		return new StatsKey.History(MINUTE.plusSeconds(30), ready, counted, Map.of());
	}

	private static StatsKey.History.Minute ready(QueueCounts counts, long ready) {
		return new StatsKey.History.Minute(counts, ready);
	}

}
