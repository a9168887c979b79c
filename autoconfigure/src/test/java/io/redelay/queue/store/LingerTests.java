package io.redelay.queue.store;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Linger}.
 */
class LingerTests {

	private static final long MILLISECOND = 1_000_000;

	private final Linger linger = new Linger();

	@BeforeEach
	void manyWereAnsweredOnce() {
		this.linger.answered(16, 0);
	}

	@Test
	void theFirstOneDoesNotWait() {
		assertThat(this.linger.rest(1, 0)).isZero();
	}

	@Test
	void whoSendsAloneOrAmongFewDoesNotWait() {
		this.linger.answered(3, 0);
		assertThat(this.linger.rest(1, 1)).isZero();
	}

	@Test
	void afterABurstNobodyWaits() {
		this.linger.answered(1, 0);
		this.linger.answered(16, 0);
		assertThat(this.linger.rest(1, 1)).isZero();
	}

	@Test
	void asManyAreWaitedForAsThereWereTwice() {
		this.linger.answered(5, 0);
		assertThat(this.linger.rest(4, 1)).isPositive();
		assertThat(this.linger.rest(5, 1)).isZero();
	}

	@Test
	void manyWaitUntilAllAreBack() {
		this.linger.answered(16, 0);
		assertThat(this.linger.rest(1, 10)).isEqualTo(MILLISECOND - 10);
		assertThat(this.linger.rest(15, 20)).isEqualTo(MILLISECOND - 20);
		assertThat(this.linger.rest(16, 30)).isZero();
	}

	@Test
	void nobodyWaitsLongerThanAMillisecond() {
		this.linger.answered(16, 0);
		assertThat(this.linger.rest(15, MILLISECOND)).isZero();
	}

	@Test
	void whoWaitedInVainDoesNotSoonWaitAgain() {
		this.linger.answered(16, 0);
		assertThat(this.linger.rest(15, MILLISECOND)).isZero();
		for (int i = 0; i < 100; i++) {
			this.linger.answered(16, 0);
			assertThat(this.linger.rest(1, 1)).isZero();
		}
		this.linger.answered(16, 0);
		assertThat(this.linger.rest(1, 1)).isPositive();
	}

	@Test
	void theClockMayTurnOver() {
		long now = Long.MAX_VALUE - 10;
		this.linger.answered(16, now);
		assertThat(this.linger.rest(1, now + 20)).isEqualTo(MILLISECOND - 20);
		assertThat(this.linger.rest(1, now + MILLISECOND)).isZero();
	}

}
