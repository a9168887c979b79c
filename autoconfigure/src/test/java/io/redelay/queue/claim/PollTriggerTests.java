package io.redelay.queue.claim;

import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.redelay.scheduling.SafetyPoll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LeadingTrigger} and {@link PollTrigger}.
 */
class PollTriggerTests {

	private static final Duration INTERVAL = Duration.ofSeconds(5);

	private final LeadingTrigger leading = new LeadingTrigger(new SafetyPoll(INTERVAL), () -> false);

	private final PollTrigger helping = new PollTrigger();

	@Test
	void aLeadingLoopLooksAtOnceAndAHelpingOneWaitsUntilItIsCalled() {
		assertThat(this.leading.shouldClaim()).isTrue();
		assertThat(this.helping.shouldClaim()).isFalse();
		this.helping.look();
		this.helping.pause();
		assertThat(this.helping.shouldClaim()).isFalse();
		this.helping.call();
		assertThat(this.helping.shouldClaim()).isTrue();
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
		assertThat(this.helping.shouldClaim()).isTrue();
		claimed(this.helping, false);
		assertThat(this.helping.shouldClaim()).isFalse();
	}

	@Test
	void aLoopThatWasGivenSomethingLooksAgainSoonOrClaimsUntilItCanBeWoken() {
		this.leading.claimed(claim(false, false, true));
		assertThat(this.leading.shouldClaim()).isFalse();
		assertThat(this.leading.nextLook(claim(false, false, true))).isLessThan(Duration.ofMillis(100));
		this.leading.claimed(claim(false, false, false));
		assertThat(this.leading.shouldClaim()).isTrue();
	}

	@Test
	void onlyALeadingLoopThatWasGivenSomethingClaimsSoonInAnyCase() {
		assertThat(this.leading.claimsSoon()).isFalse();
		this.leading.claimed(claim(false, false, true));
		assertThat(this.leading.claimsSoon()).isTrue();
		this.leading.claimed(claim(false, true, true));
		assertThat(this.leading.claimsSoon()).isFalse();
		this.helping.claimed(claim(false, false, true));
		assertThat(this.helping.claimsSoon()).isFalse();
	}

	@Test
	void aLoopWithAReasonToClaimDoesNotWaitForHandlers() {
		this.leading.claimed(claim(false, false, true));
		this.leading.wakeUp(false);
		assertThat(this.leading.claimsSoon()).isFalse();
		this.leading.sent();
		this.leading.claimed(claim(true, false, true));
		assertThat(this.leading.claimsSoon()).isFalse();
		this.leading.claimed(claim(false, false, true));
		this.leading.look();
		assertThat(this.leading.claimsSoon()).isFalse();
	}

	@Test
	void aLoopWhoseQueueIsWatchedLooksRarely() {
		SafetyPoll poll = new SafetyPoll(INTERVAL, () -> 1.0);
		for (int i = 0; i < 100; i++) {
			poll.join();
		}
		LeadingTrigger watched = new LeadingTrigger(poll, () -> true);
		assertThat(nothing(watched)).isGreaterThan(Duration.ofMinutes(5));
		assertThat(watched.isWatched()).isTrue();
		assertThat(watched.longestSleep()).isGreaterThan(Duration.ofMinutes(5));
		watched.claimed(claim(false, false, true));
		assertThat(watched.isWatched()).isFalse();
		PollTrigger.Claim due = new PollTrigger.Claim(false, true, false, true, Duration.ofHours(1));
		watched.claimed(due);
		assertThat(watched.nextLook(due)).isLessThan(Duration.ofSeconds(10));
		assertThat(watched.isWatched()).isFalse();
	}

	@Test
	void aQueueThatIsOccupiedAndGivesNothingIsNotWatched() {
		SafetyPoll poll = new SafetyPoll(INTERVAL, () -> 1.0);
		for (int i = 0; i < 100; i++) {
			poll.join();
		}
		LeadingTrigger watched = new LeadingTrigger(poll, () -> true);
		nothing(watched);
		watched.occupied();
		assertThat(watched.shouldClaim()).isTrue();
		assertThat(nothing(watched)).isLessThan(Duration.ofSeconds(10));
		assertThat(watched.isWatched()).isFalse();
		assertThat(nothing(watched)).isGreaterThan(Duration.ofMinutes(5));
	}

	private static Duration nothing(PollTrigger trigger) {
		PollTrigger.Claim nothing = claim(false, true, true);
		trigger.sent();
		trigger.claimed(nothing);
		return trigger.nextLook(nothing);
	}

	@Test
	void aWakeUpThatCameMeanwhileCounts() {
		this.leading.wakeUp(true);
		this.leading.claimed(claim(false, true, true));
		assertThat(this.leading.shouldClaim()).isTrue();
		this.leading.sent();
		this.leading.claimed(claim(false, true, true));
		assertThat(this.leading.shouldClaim()).isFalse();
	}

	@Test
	void aWakeUpThatCannotBeFollowedIsPassedOn() {
		this.leading.wakeUp(true);
		assertThat(this.leading.mustSend()).isFalse();
		this.leading.answered();
		assertThat(this.leading.mustSend()).isTrue();
		this.leading.sent();
		this.leading.answered();
		assertThat(this.leading.mustSend()).isFalse();
	}

	@Test
	void aLoopLooksWhenTheNextMessageIsDue() {
		assertThat(this.leading.nextLook(new PollTrigger.Claim(false, true, false, true, Duration.ZERO))).isZero();
		assertThat(this.leading.nextLook(new PollTrigger.Claim(false, true, false, true, Duration.ofHours(1))))
			.isLessThanOrEqualTo(INTERVAL);
	}

	@Test
	void loopsThatStartTogetherDoNotLookTogether() {
		Set<Long> seconds = IntStream.range(0, 1_000)
			.mapToObj((number) -> new LeadingTrigger(new SafetyPoll(Duration.ofSeconds(50)), () -> false)
				.nextLook(claim(false, true, true))
				.toSeconds())
			.collect(Collectors.toSet());
		assertThat(seconds).hasSizeGreaterThan(30);
	}

	@Test
	void afterTheFirstTimeTheIntervalIsKept() {
		this.leading.nextLook(claim(false, true, true));
		assertThat(this.leading.nextLook(claim(false, true, true))).isEqualTo(INTERVAL);
	}

	private static void claimed(PollTrigger trigger, boolean full) {
		trigger.claimed(claim(full, !full, true));
	}

	private static PollTrigger.Claim claim(boolean full, boolean empty, boolean fast) {
		return new PollTrigger.Claim(full, empty, false, fast, null);
	}

}
