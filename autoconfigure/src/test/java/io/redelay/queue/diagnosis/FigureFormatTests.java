package io.redelay.queue.diagnosis;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for figures as people read them.
 */
class FigureFormatTests {

	@Test
	void countsThings() {
		assertThat(FigureFormat.count(1, "message")).isEqualTo("1 message");
		assertThat(FigureFormat.count(12_345, "message")).isEqualTo("12,345 messages");
		assertThat(FigureFormat.count(2, "fairness key")).isEqualTo("2 fairness keys");
	}

	@Test
	void writesTimesInTwoUnits() {
		assertThat(FigureFormat.time(Duration.ofMillis(999))).isEqualTo("999 ms");
		assertThat(FigureFormat.time(Duration.ofMillis(1500))).isEqualTo("1.5 s");
		assertThat(FigureFormat.time(Duration.ofSeconds(90))).isEqualTo("90 s");
		assertThat(FigureFormat.time(Duration.ofSeconds(250))).isEqualTo("4 min 10 s");
		assertThat(FigureFormat.time(Duration.ofHours(3))).isEqualTo("3 h");
		assertThat(FigureFormat.time(Duration.ofHours(51))).isEqualTo("2 days 3 h");
	}

	@Test
	void writesSlowRatesByTheMinute() {
		assertThat(FigureFormat.rate(12.34)).isEqualTo("12 a second");
		assertThat(FigureFormat.rate(0.25)).isEqualTo("0.3 a second");
		assertThat(FigureFormat.rate(0.05)).isEqualTo("3 a minute");
		assertThat(FigureFormat.rate(0)).isEqualTo("0 a second");
	}

	@Test
	void namesTheFirstOnes() {
		assertThat(FigureFormat.list(List.of("a", "b"))).isEqualTo("a, b");
		assertThat(FigureFormat.list(List.of("a", "b", "c", "d", "e"))).isEqualTo("a, b, c and 2 more");
	}

}
