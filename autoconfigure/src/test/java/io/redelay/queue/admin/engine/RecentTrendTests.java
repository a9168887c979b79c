package io.redelay.queue.admin.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.redelay.queue.admin.QueueHistory;
import io.redelay.queue.diagnosis.Throughput;
import io.redelay.queue.measure.QueueCounts;
import io.redelay.queue.script.admin.StatsKey;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

/**
 * Tests for {@link RecentTrend}.
 */
class RecentTrendTests {

	private static final Instant START = Instant.parse("2026-11-23T12:00:00Z");

	@Test
	void aBurstThatHasEndedCountsNoLonger() {
		// 6,000 came at 2 s, and a hundred leave a second.
		Throughput.Trend trend = trend(10, 5200, slot(0, 6000, 100, 5900), slot(1, 0, 500, 5400));
		assertThat(trend).isNotNull();
		assertThat(trend.drainPerSecond()).isEqualTo(700 / 6.0, within(0.1));
		assertThat(trend.arrivedPerSecond()).isZero();
		assertThat(trend.steady()).isFalse();
	}

	@Test
	void chanceDoesNotDecide() {
		// A hundred a second come and leave; it varies.
		Throughput.Trend trend = trend(20, 990, slot(0, 500, 500, 1000), slot(1, 505, 500, 1005),
				slot(2, 490, 495, 1000), slot(3, 495, 500, 995));
		assertThat(trend).isNotNull();
		assertThat(trend.drainPerSecond()).isNull();
		assertThat(trend.steady()).as("for 16 s only").isFalse();
	}

	@Test
	void whatDoesNotBecomeFewerForLongIsSteady() {
		StatsKey.History.Slot[] slots = new StatsKey.History.Slot[8];
		for (int i = 0; i < slots.length; i++) {
			slots[i] = slot(i, 500, 500, 1000);
		}
		Throughput.Trend trend = trend(40, 1000, slots);
		assertThat(trend).isNotNull();
		assertThat(trend.steady()).isTrue();
		assertThat(trend.arrivedPerSecond()).isEqualTo(100);
	}

	@Test
	void withoutCountsThereIsNoTrend() {
		assertThat(RecentTrend.of(List.of(new StatsKey.History(START, 5, Map.of(), Map.of())))).isNull();
	}

	@Test
	void countsThatAreOverSayNothing() {
		assertThat(trend(24, 700, slot(0, 0, 100, 900), slot(1, 0, 100, 800), slot(2, 0, 100, 700))).isNotNull();
		assertThat(trend(26, 700, slot(0, 0, 100, 900), slot(1, 0, 100, 800), slot(2, 0, 100, 700))).isNull();
	}

	@Test
	void theTimeBeforeABurstDoesNotCount() {
		StatsKey.History.Slot[] slots = new StatsKey.History.Slot[10];
		for (int i = 0; i < slots.length - 1; i++) {
			slots[i] = slot(i, 0, 0, 0);
		}
		slots[9] = slot(9, 6000, 0, 6000);
		Throughput.Trend trend = trend(50, 5500, slots);
		assertThat(trend).isNotNull();
		assertThat(trend.steady()).isFalse();
		slots[2] = slot(2, 1, 0, 1);
		trend = trend(50, 5500, slots);
		assertThat(trend).isNotNull();
		assertThat(trend.steady()).as("one was ready before").isFalse();
	}

	@Test
	void theLastSixtySecondsAreCounted() {
		// 120 were sent 44 s ago, in the minute before this one.
		StatsKey.History history = new StatsKey.History(START.plusSeconds(50), 0, Map.of(),
				Map.of(slotNumber(0), slot(0, 120, 0, 0), slotNumber(-3), slot(-3, 7, 0, 0)));
		QueueHistory read = HistoryReader.history("orders", List.of(history));
		assertThat(read.lastMinute().sent()).isEqualTo(120);
		assertThat(read.lastMinute().start()).isEqualTo(read.time().minus(Duration.ofSeconds(60)));
	}

	private static Throughput.@Nullable Trend trend(int seconds, long ready, StatsKey.History.Slot... slots) {
		Map<Long, StatsKey.History.Slot> numbered = new TreeMap<>();
		for (int i = 0; i < slots.length; i++) {
			numbered.put(slotNumber(i), slots[i]);
		}
		return RecentTrend.of(List.of(new StatsKey.History(START.plusSeconds(seconds), ready, Map.of(), numbered)));
	}

	private static long slotNumber(int index) {
		return START.toEpochMilli() / StatsKey.History.SLOT_MILLIS + index;
	}

	/**
	 * A slot whose counts were written four seconds after it began.
	 */
	private static StatsKey.History.Slot slot(int index, long sent, long handled, long ready) {
		return new StatsKey.History.Slot(
				new QueueCounts(sent, handled, 0, 0, 0, QueueCounts.Times.NONE, QueueCounts.Times.NONE), ready,
				START.plusSeconds(index * 5L + 4));
	}

}
