package io.redelay.queue.request;

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
		assertThat(this.linger.rest(1, false, 0)).isZero();
	}

	@Test
	void oneOfFewSendersDoesNotWait() {
		this.linger.answered(3, 0);
		assertThat(this.linger.rest(1, false, 1)).isZero();
	}

	@Test
	void afterABurstNoClaimWaits() {
		this.linger.answered(1, 0);
		this.linger.answered(16, 0);
		assertThat(this.linger.rest(1, false, 1)).isZero();
	}

	@Test
	void asManyAreWaitedForAsThereWereTwice() {
		this.linger.answered(5, 0);
		assertThat(this.linger.rest(4, false, 1)).isPositive();
		assertThat(this.linger.rest(5, false, 1)).isZero();
	}

	@Test
	void manyWaitUntilAllAreBack() {
		this.linger.answered(16, 0);
		assertThat(this.linger.rest(1, false, 10)).isEqualTo(MILLISECOND - 10);
		assertThat(this.linger.rest(15, false, 20)).isEqualTo(MILLISECOND - 20);
		assertThat(this.linger.rest(16, false, 30)).isZero();
	}

	@Test
	void aThirdIsWaitedForIfThereAreTwoRequestsAtATime() {
		this.linger.answered(16, 0);
		assertThat(this.linger.rest(5, true, 10)).isEqualTo(MILLISECOND - 10);
		assertThat(this.linger.rest(6, true, 20)).isZero();
	}

	@Test
	void twoRequestsAtATimeAreForManyThatCameBack() {
		assertThat(this.linger.isForTwo()).isFalse();
		this.linger.answered(16, 0);
		assertThat(this.linger.isForTwo()).isTrue();
		this.linger.answered(7, 0);
		assertThat(this.linger.isForTwo()).isFalse();
	}

	@Test
	void noCallerWaitsLongerThanAMillisecond() {
		this.linger.answered(16, 0);
		assertThat(this.linger.rest(15, false, MILLISECOND)).isZero();
	}

	@Test
	void aLoopThatWaitedInVainDoesNotSoonWaitAgain() {
		this.linger.answered(16, 0);
		assertThat(this.linger.rest(15, false, MILLISECOND)).isZero();
		for (int i = 0; i < 100; i++) {
			this.linger.answered(16, 0);
			assertThat(this.linger.rest(1, false, 1)).isZero();
		}
		this.linger.answered(16, 0);
		assertThat(this.linger.rest(1, false, 1)).isPositive();
	}

	@Test
	void theClockMayTurnOver() {
		long now = Long.MAX_VALUE - 10;
		this.linger.answered(16, now);
		assertThat(this.linger.rest(1, false, now + 20)).isEqualTo(MILLISECOND - 20);
		assertThat(this.linger.rest(1, false, now + MILLISECOND)).isZero();
	}

}
