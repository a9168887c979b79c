package io.redelay.queue.failure;

import java.time.Duration;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RetryBackoff}.
 */
class RetryBackoffTests {

	@Test
	void growsUpToItsMaximum() {
		RetryBackoff backoff = new RetryBackoff(Duration.ofMillis(100), 2, Duration.ofMillis(500), 0);
		assertThat(IntStream.rangeClosed(1, 5).mapToObj(backoff::after)).containsExactly(Duration.ofMillis(100),
				Duration.ofMillis(200), Duration.ofMillis(400), Duration.ofMillis(500), Duration.ofMillis(500));
	}

	@Test
	void isFixedWithAMultiplierOfOne() {
		RetryBackoff backoff = new RetryBackoff(Duration.ofMillis(70), 1, Duration.ofMinutes(5), 0);
		assertThat(backoff.after(1)).isEqualTo(backoff.after(1_000_000_000)).isEqualTo(Duration.ofMillis(70));
	}

	@Test
	void variesByItsJitterAndNoMore() {
		RetryBackoff backoff = new RetryBackoff(Duration.ofSeconds(1), 1, Duration.ofMinutes(5), 0.2);
		assertThat(IntStream.range(0, 1000).mapToObj((i) -> backoff.after(1).toMillis()))
			.allSatisfy((millis) -> assertThat(millis).isBetween(800L, 1200L))
			.anyMatch((millis) -> millis < 900)
			.anyMatch((millis) -> millis > 1100);
	}

	@Test
	void mayBeNothing() {
		assertThat(new RetryBackoff(Duration.ZERO, 2, Duration.ofMinutes(5), 0.2).after(7)).isZero();
		assertThat(new RetryBackoff(Duration.ofNanos(500_000), 2, Duration.ofMinutes(5), 0).after(50)).isZero();
	}

	@Test
	void neverOverflows() {
		RetryBackoff backoff = new RetryBackoff(Duration.ofDays(1), 1000, Duration.ofDays(3650), 0);
		assertThat(backoff.after(Integer.MAX_VALUE)).isEqualTo(Duration.ofDays(3650));
	}

}
