package io.redelay.queue.claim;

import java.time.Duration;
import java.util.Set;
import java.util.stream.LongStream;

import io.redelay.queue.message.ClaimLimits;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for how long Redis takes to answer claims.
 */
class ClaimTimesTests {

	private final VirtualTime time = new VirtualTime();

	private final ClaimTimes times = new ClaimTimes(this.time);

	@Test
	void nothingIsKnownBeforeTheFirstAnswer() {
		assertThat(this.times.state()).isEqualTo(ContainerState.Claims.NONE);
	}

	@Test
	void aPauseNowAndThenIsNoSlowRedis() {
		answered(900);
		assertThat(this.times.state().time()).as("the first one opens connections").isNull();
		answered(700);
		assertThat(this.times.state().time()).as("two are too few").isNull();
		answered(1);
		assertThat(this.times.state().time()).isEqualTo(Duration.ofMillis(1));
		answered(1, 2, 1, 5000, 1, 2, 1);
		assertThat(this.times.state().time()).isEqualTo(Duration.ofMillis(1));
		answered(400, 400, 400, 400, 400, 400);
		assertThat(this.times.state().time()).isEqualTo(Duration.ofMillis(400));
	}

	@Test
	void slowClaimsCountForHalfAMinute() {
		answered(400, 400, 400, 400, 400, 400, 400, 400, 400);
		this.time.advance(Duration.ofSeconds(20));
		answered(1, 1, 1);
		assertThat(this.times.state().time()).isEqualTo(Duration.ofMillis(400));
		this.time.advance(Duration.ofSeconds(11));
		assertThat(this.times.state().time()).as("an idle listener claims seldom").isEqualTo(Duration.ofMillis(1));
		this.time.advance(Duration.ofSeconds(20));
		assertThat(this.times.state().time()).as("nothing is known any more").isNull();
		assertThat(this.times.state().since()).isEqualTo(Duration.ofSeconds(31));
	}

	@Test
	void aClaimWithoutAnAnswerIsReportedAfterASecond() {
		this.times.sent();
		assertThat(this.times.state().unanswered()).isFalse();
		this.time.advance(Duration.ofMillis(1001));
		this.times.sent();
		assertThat(this.times.state().unanswered()).isTrue();
		answered(1);
		assertThat(this.times.state().unanswered()).isFalse();
		this.times.failed();
		assertThat(this.times.state().unanswered()).isTrue();
	}

	@Test
	void theSilenceOfAnIdleLoopBeginsWithTheClaimThatFails() {
		answered(1);
		this.time.advance(Duration.ofHours(1));
		this.times.sent();
		this.times.failed();
		assertThat(this.times.state().since()).isEqualTo(Duration.ofHours(1));
		assertThat(this.times.state().silence()).isZero();
		this.time.advance(Duration.ofSeconds(40));
		this.times.sent();
		assertThat(this.times.state().silence()).isEqualTo(Duration.ofSeconds(40));
		answered(1);
		assertThat(this.times.state().silence()).isNull();
	}

	@Test
	void onePartitionThatIsSilentIsNotHiddenByOthers() {
		answered(1);
		ContainerState.Claims sound = this.times.state();
		ContainerState.Claims silent = new ContainerState.Claims(Duration.ofMinutes(2), null, Duration.ofMinutes(2),
				Set.of(ClaimLimits.Kind.RATE));
		assertThat(sound.and(silent).silence()).isEqualTo(Duration.ofMinutes(2));
		assertThat(silent.and(sound).silence()).isEqualTo(Duration.ofMinutes(2));
		assertThat(sound.and(silent).limitedBy()).containsExactly(ClaimLimits.Kind.RATE);
	}

	private void answered(long... millis) {
		LongStream.of(millis).forEach((each) -> this.times.answered(Duration.ofMillis(each).toNanos()));
	}

}
