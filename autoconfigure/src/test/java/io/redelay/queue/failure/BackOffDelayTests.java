package io.redelay.queue.failure;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import org.springframework.util.backoff.BackOff;
import org.springframework.util.backoff.ExponentialBackOff;
import org.springframework.util.backoff.FixedBackOff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests for {@link BackOffDelay}.
 */
class BackOffDelayTests {

	@Test
	void waitsAsTheBackOffSaysUntilItSaysToStop() {
		BackOffDelay delay = new BackOffDelay(new FixedBackOff(70, 2));
		assertThat(delay.after(1)).isEqualTo(Duration.ofMillis(70));
		assertThat(delay.after(2)).isEqualTo(Duration.ofMillis(70));
		assertThat(delay.after(3)).isNull();
		assertThat(delay.after(Integer.MAX_VALUE)).isNull();
	}

	@Test
	void growsAsTheBackOffGrows() {
		BackOffDelay delay = new BackOffDelay(new ExponentialBackOff(100, 3));
		assertThat(delay.after(3)).isEqualTo(Duration.ofMillis(900));
	}

	@Test
	void waitsTenYearsAtMost() {
		assertThat(new BackOffDelay(new FixedBackOff(Long.MAX_VALUE, 1)).after(1)).isEqualTo(Duration.ofDays(3650));
	}

	@Test
	void refusesANegativeInterval() {
		BackOff backOff = () -> () -> -5;
		assertThatIllegalStateException().isThrownBy(() -> new BackOffDelay(backOff).after(1))
			.withMessageContaining("-5");
	}

}
