package io.redelay.queue.listener;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PollTrigger}.
 */
class PollTriggerTests {

	private static final Duration INTERVAL = Duration.ofSeconds(5);

	private final PollTrigger leading = new PollTrigger(false);

	private final PollTrigger helping = new PollTrigger(true);

	@Test
	void aLeadingLoopLooksAtOnceAndAHelpingOneWaitsUntilItIsCalled() {
		assertThat(this.leading.isAwake()).isTrue();
		assertThat(this.helping.isAwake()).isFalse();
		this.helping.look();
		this.helping.pause();
		assertThat(this.helping.isAwake()).isFalse();
		this.helping.call();
		assertThat(this.helping.isAwake()).isTrue();
	}

	@Test
	void helpIsNeededWhenThreeClaimsInARowAreFilled() {
		claimed(this.leading, true);
		claimed(this.leading, true);
		claimed(this.leading, false);
		claimed(this.leading, true);
		claimed(this.leading, true);
		assertThat(this.leading.needsHelp()).isFalse();
		claimed(this.leading, true);
		assertThat(this.leading.needsHelp()).isTrue();
		claimed(this.leading, false);
		assertThat(this.leading.needsHelp()).isFalse();
	}

	@Test
	void aHelpingLoopGoesOnWhileItsClaimsAreFilled() {
		this.helping.call();
		claimed(this.helping, true);
		assertThat(this.helping.isAwake()).isTrue();
		claimed(this.helping, false);
		assertThat(this.helping.isAwake()).isFalse();
	}

	@Test
	void whoeverWasGivenSomethingIsBackSoonOrAsksAgainToBeWoken() {
		this.leading.claimed(false, false, false, true, null);
		assertThat(this.leading.isAwake()).isFalse();
		assertThat(this.leading.absence(false, null, INTERVAL)).isLessThan(Duration.ofMillis(100));
		this.leading.claimed(false, false, false, false, null);
		assertThat(this.leading.isAwake()).isTrue();
	}

	@Test
	void onlyALeadingLoopThatWasGivenSomethingIsAwayForAWhile() {
		assertThat(this.leading.isAway()).isFalse();
		this.leading.claimed(false, false, false, true, null);
		assertThat(this.leading.isAway()).isTrue();
		this.leading.claimed(false, true, false, true, null);
		assertThat(this.leading.isAway()).isFalse();
		this.helping.claimed(false, false, false, true, null);
		assertThat(this.helping.isAway()).isFalse();
	}

	@Test
	void nobodyIsAwayWhoHasAReasonToLook() {
		this.leading.claimed(false, false, false, true, null);
		this.leading.wakeUp(false);
		assertThat(this.leading.isAway()).isFalse();
		this.leading.sent();
		this.leading.claimed(true, false, false, true, null);
		assertThat(this.leading.isAway()).isFalse();
		this.leading.claimed(false, false, false, true, null);
		this.leading.look();
		assertThat(this.leading.isAway()).isFalse();
	}

	@Test
	void aWakeUpThatCameMeanwhileCounts() {
		this.leading.wakeUp(true);
		this.leading.claimed(false, true, false, true, null);
		assertThat(this.leading.isAwake()).isTrue();
		this.leading.sent();
		this.leading.claimed(false, true, false, true, null);
		assertThat(this.leading.isAwake()).isFalse();
	}

	@Test
	void aWakeUpThatCannotBeFollowedIsPassedOn() {
		this.leading.wakeUp(true);
		assertThat(this.leading.isDue()).isFalse();
		this.leading.answered();
		assertThat(this.leading.isDue()).isTrue();
		this.leading.sent();
		this.leading.answered();
		assertThat(this.leading.isDue()).isFalse();
	}

	@Test
	void whatIsDueSoonerShortensTheAbsence() {
		assertThat(this.leading.absence(true, Duration.ZERO, INTERVAL)).isZero();
		assertThat(this.leading.absence(true, Duration.ofHours(1), INTERVAL)).isLessThanOrEqualTo(INTERVAL);
	}

	@Test
	void loopsThatStartTogetherDoNotLookTogether() {
		Set<Long> seconds = IntStream.range(0, 1_000)
			.mapToObj((number) -> new PollTrigger(false).absence(true, null, Duration.ofSeconds(50)).toSeconds())
			.collect(Collectors.toSet());
		assertThat(seconds).hasSizeGreaterThan(30);
	}

	@Test
	void afterTheFirstTimeTheIntervalIsKept() {
		this.leading.absence(true, null, INTERVAL);
		assertThat(this.leading.absence(true, null, INTERVAL)).isEqualTo(INTERVAL);
	}

	private static void claimed(PollTrigger attention, boolean full) {
		attention.claimed(full, !full, false, true, null);
	}

}
