package io.redelay.queue.admin.engine.instance;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

import io.redelay.queue.measure.Handling;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HandlingTimes}.
 */
class HandlingTimesTests {

	private final VirtualTime time = new VirtualTime();

	private final HandlingTimes times = new HandlingTimes(this.time);

	@Test
	void eachTimeIsInAClassThatEndsSoonAfterIt() {
		int before = 0;
		for (long micros = 0; micros < Duration.ofDays(3).toNanos() / 1000; micros += 1 + micros / 50) {
			int each = HandlingTimes.classOf(micros);
			assertThat(each).as("%s µs", micros).isBetween(before, before + 1);
			assertThat(HandlingTimes.endOf(each)).as("%s µs", micros)
				.isGreaterThan(micros)
				.isLessThanOrEqualTo(Math.max(micros + 1, micros + micros / 4 + 1));
			before = each;
		}
	}

	@Test
	void longestTimesAreInTheLastClass() {
		this.times.add(Long.MAX_VALUE);
		this.times.add(-1);
		assertThat(this.times.counts()).containsOnlyKeys(0, 163);
	}

	@Test
	void oneOfAHundredIsAboveTheP99() {
		for (int i = 0; i < 99; i++) {
			this.times.add(Duration.ofMillis(10).toNanos());
		}
		this.times.add(Duration.ofSeconds(10).toNanos());
		Map<Integer, Integer> counts = this.times.counts();
		assertThat(HandlingTimes.quantile(counts, 0.5, 20)).isBetween(Duration.ofMillis(10), Duration.ofMillis(13));
		assertThat(HandlingTimes.quantile(counts, 0.99, 100)).isBetween(Duration.ofMillis(10), Duration.ofMillis(13));
		counts.merge(HandlingTimes.classOf(10_000_000), 1, Integer::sum);
		assertThat(HandlingTimes.quantile(counts, 0.99, 100)).isGreaterThan(Duration.ofSeconds(10));
	}

	@Test
	void isUnknownOfFew() {
		Map<Integer, Integer> counts = new TreeMap<>(Map.of(40, 99));
		assertThat(HandlingTimes.quantile(counts, 0.99, 100)).isNull();
		assertThat(HandlingTimes.quantile(Map.of(), 0.5, 0)).isNull();
	}

	@Test
	void forgetsWhatIsAnHourAgo() {
		this.times.add(1000);
		this.time.advance(Duration.ofMinutes(31));
		this.times.turn();
		this.times.add(1000);
		assertThat(this.times.counts()).containsEntry(1, 2);
		this.time.advance(Duration.ofMinutes(31));
		assertThat(this.times.counts()).containsEntry(1, 1);
		this.time.advance(Duration.ofMinutes(61));
		assertThat(this.times.counts()).isEmpty();
	}

	@Test
	void nothingIsKnownForLongerThanAnHour() {
		this.times.add(1000);
		this.time.advance(Duration.ofMinutes(59));
		assertThat(this.times.counts()).containsEntry(1, 1);
		this.time.advance(Duration.ofMinutes(2));
		assertThat(this.times.counts()).isEmpty();
	}

	@Test
	void typesThatAreNotSeenAnyMoreMakeRoom() {
		RecentWork work = new RecentWork(this.time);
		for (int i = 0; i < 25; i++) {
			handle(work, "old" + i);
		}
		assertThat(work.times("q")).hasSize(20);
		for (int i = 0; i < 2; i++) {
			this.time.advance(Duration.ofMinutes(31));
			handle(work, "new");
		}
		assertThat(work.times("q")).containsOnlyKeys("new");
	}

	private static void handle(RecentWork work, String type) {
		work.handled(new Handling("q", "l", type, "ack", 0, 1000));
	}

}
