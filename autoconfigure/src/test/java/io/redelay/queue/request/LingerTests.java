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
		this.linger.answered(16, 0, MILLISECOND);
	}

	@Test
	void theFirstOneDoesNotWait() {
		assertThat(this.linger.rest(1, false, 0)).isZero();
	}

	@Test
	void oneThatIsAloneDoesNotWait() {
		this.linger.answered(1, 0, MILLISECOND);
		assertThat(this.linger.rest(1, false, 1)).isZero();
	}

	@Test
	void oneOfTwoWaitsForTheOther() {
		this.linger.answered(2, 0, 50);
		assertThat(this.linger.rest(1, false, 10)).isEqualTo(MILLISECOND - 10);
		assertThat(this.linger.rest(2, false, 200)).isZero();
		this.linger.answered(2, 0, 50);
		assertThat(this.linger.rest(1, false, 10)).isPositive();
	}

	@Test
	void oneOfTwoDoesNotSoonWaitAgainForOneThatTookLongerThanFourRequests() {
		this.linger.answered(2, 0, 50);
		assertThat(this.linger.rest(1, false, 10)).isPositive();
		assertThat(this.linger.rest(2, false, 201)).isZero();
		for (int i = 0; i < 100; i++) {
			this.linger.answered(2, 0, 50);
			assertThat(this.linger.rest(1, false, 10)).isZero();
		}
		this.linger.answered(2, 0, 50);
		assertThat(this.linger.rest(1, false, 10)).isPositive();
	}

	@Test
	void manyMayComeLate() {
		this.linger.answered(4, 0, 50);
		assertThat(this.linger.rest(4, false, MILLISECOND + 1)).isZero();
		this.linger.answered(4, 0, 50);
		assertThat(this.linger.rest(1, false, 10)).isPositive();
	}

	@Test
	void afterABurstNoClaimWaits() {
		this.linger.answered(1, 0, MILLISECOND);
		this.linger.answered(16, 0, MILLISECOND);
		assertThat(this.linger.rest(1, false, 1)).isZero();
	}

	@Test
	void asManyAreWaitedForAsThereWereTwice() {
		this.linger.answered(5, 0, MILLISECOND);
		assertThat(this.linger.rest(4, false, 1)).isPositive();
		assertThat(this.linger.rest(5, false, 1)).isZero();
	}

	@Test
	void manyWaitUntilAllAreBack() {
		this.linger.answered(16, 0, MILLISECOND);
		assertThat(this.linger.rest(1, false, 10)).isEqualTo(MILLISECOND - 10);
		assertThat(this.linger.rest(15, false, 20)).isEqualTo(MILLISECOND - 20);
		assertThat(this.linger.rest(16, false, 30)).isZero();
	}

	@Test
	void aThirdIsWaitedForIfThereAreTwoRequestsAtATime() {
		this.linger.answered(16, 0, MILLISECOND);
		assertThat(this.linger.rest(5, true, 10)).isEqualTo(MILLISECOND - 10);
		assertThat(this.linger.rest(6, true, 20)).isZero();
	}

	@Test
	void twoRequestsAtATimeAreForManyThatCameBack() {
		assertThat(this.linger.isForTwo()).isFalse();
		this.linger.answered(16, 0, MILLISECOND);
		assertThat(this.linger.isForTwo()).isTrue();
		this.linger.answered(7, 0, MILLISECOND);
		assertThat(this.linger.isForTwo()).isFalse();
	}

	@Test
	void noCallerWaitsLongerThanAMillisecond() {
		this.linger.answered(16, 0, MILLISECOND);
		assertThat(this.linger.rest(15, false, MILLISECOND)).isZero();
	}

	@Test
	void aLoopThatWaitedInVainDoesNotSoonWaitAgain() {
		this.linger.answered(16, 0, MILLISECOND);
		assertThat(this.linger.rest(15, false, MILLISECOND)).isZero();
		for (int i = 0; i < 100; i++) {
			this.linger.answered(16, 0, MILLISECOND);
			assertThat(this.linger.rest(1, false, 1)).isZero();
		}
		this.linger.answered(16, 0, MILLISECOND);
		assertThat(this.linger.rest(1, false, 1)).isPositive();
	}

	@Test
	void theClockMayTurnOver() {
		long now = Long.MAX_VALUE - 10;
		this.linger.answered(16, now, MILLISECOND);
		assertThat(this.linger.rest(1, false, now + 20)).isEqualTo(MILLISECOND - 20);
		assertThat(this.linger.rest(1, false, now + MILLISECOND)).isZero();
	}

}
