package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import io.redelay.queue.diagnosis.Throughput;
import io.redelay.queue.measure.QueueCounts;
import io.redelay.queue.store.StoredHistory;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what became of messages lately.
 */
class RecentThroughputTests {

	private static final Instant MINUTE = Instant.parse("2026-11-23T12:00:00Z");

	@Test
	void countsThatComeWithANewMinuteAreOfTheSecondsBeforeIt() {
		QueueCounts fiveSeconds = new QueueCounts(500, 500, 0, 0, 0, 0, 0, 0, 0, 0, 0);
		StoredHistory history = new StoredHistory(MINUTE.plusMillis(50), 0,
				Map.of(MINUTE.getEpochSecond() / 60, new StoredHistory.Minute(fiveSeconds, 0L)));
		Throughput recent = RecentThroughput.of("orders", List.of(history));
		assertThat(recent).isNotNull();
		assertThat(recent.handled()).isEqualTo(500);
		assertThat(recent.span()).isEqualTo(Duration.ofSeconds(5));
	}

	@Test
	void onlyTheMinuteBeforeTellsHowManyWereReady() {
		QueueCounts counts = new QueueCounts(500, 500, 0, 0, 0, 0, 0, 0, 0, 0, 0);
		long now = MINUTE.getEpochSecond() / 60;
		StoredHistory.Minute counted = new StoredHistory.Minute(counts, 70L);
		StoredHistory steady = new StoredHistory(MINUTE, 9, Map.of(now - 2, counted, now - 1, counted, now, counted));
		StoredHistory interrupted = new StoredHistory(MINUTE, 9, Map.of(now - 9, counted, now - 1, counted));
		assertThat(RecentThroughput.of("orders", List.of(steady)))
			.satisfies((recent) -> assertThat(recent.readyBefore()).isEqualTo(70));
		assertThat(RecentThroughput.of("orders", List.of(steady, interrupted)))
			.satisfies((recent) -> assertThat(recent.readyBefore()).isNull());
	}

}
