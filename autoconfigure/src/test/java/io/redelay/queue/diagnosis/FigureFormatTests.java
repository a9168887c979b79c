package io.redelay.queue.diagnosis;

import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FigureFormat}, against the table by which the page is tested as well.
 */
class FigureFormatTests {

	@ParameterizedTest
	@CsvFileSource(files = "../management-tests/src/test/resources/io/redelay/management/page/figures.csv")
	void figuresAreWrittenByTheRulesOfThePage(String kind, double value, String text) {
		assertThat(switch (kind) {
			case "time" -> FigureFormat.time(Duration.ofNanos(Math.round(value * 1e6)));
			case "rate" -> FigureFormat.rate(value);
			case "number" -> FigureFormat.trimmed(value);
			case "percent" -> FigureFormat.percent(value);
			default -> FigureFormat.count((long) value, kind);
		}).isEqualTo(text);
	}

	@Test
	void aTimeOfCenturiesIsShown() {
		assertThat(FigureFormat.time(Duration.ofDays(365_000))).isEqualTo("365,000 d");
	}

}
