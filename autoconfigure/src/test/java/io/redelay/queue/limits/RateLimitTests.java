package io.redelay.queue.limits;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RateLimit}.
 */
class RateLimitTests {

	@ParameterizedTest
	@CsvSource({ "2/1000ms, 2/1s", "7/60s, 7/1m", "5/90s, 5/90s", "3/1500ms, 3/1500ms", "1/PT24H, 1/1d",
			"10/2h bursting, 10/2h bursting" })
	void isWrittenAsItIsDeclared(String given, String written) {
		RateLimit rate = RateLimit.parse(given);
		assertThat(rate).hasToString(written);
		assertThat(RateLimit.parse(written)).isEqualTo(rate);
	}

}
