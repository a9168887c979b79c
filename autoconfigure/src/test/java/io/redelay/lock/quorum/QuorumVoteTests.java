package io.redelay.lock.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/**
 * Tests for votes of servers.
 */
class QuorumVoteTests {

	private final CompletableFuture<Boolean> first = new CompletableFuture<>();

	private final CompletableFuture<Boolean> second = new CompletableFuture<>();

	private final CompletableFuture<Boolean> third = new CompletableFuture<>();

	private final QuorumVote vote = vote();

	private QuorumVote vote() {
		List<CompletableFuture<Boolean>> answers = List.of(this.first, this.second, this.third);
		Supplier<RedissonClient> connector = () -> mock(RedissonClient.class);
		List<QuorumMember> members = Stream.of("a", "b", "c")
			.map((name) -> new QuorumMember(new QuorumServer(name, connector, Duration.ofSeconds(1), new VirtualTime()),
					"key", "owner"))
			.toList();
		return QuorumVote.of(members, (member) -> answers.get(members.indexOf(member)));
	}

	@Test
	void majorityThatSaysYesDecides() {
		this.first.complete(true);
		assertThat(this.vote.decided()).isNotDone();
		this.third.complete(true);
		assertThat(this.vote.decided()).isCompletedWithValueMatching(QuorumVote.Result::isYes);
		assertThat(this.vote.certain()).isCompletedWithValueMatching(QuorumVote.Result::isYes);
	}

	@Test
	void isDecidedAsSoonAsAMajorityCannotBeHad() {
		this.first.complete(false);
		assertThat(this.vote.decided()).isNotDone();
		this.second.completeExceptionally(new IllegalStateException("away"));
		assertThat(this.vote.decided()).isCompletedWithValueMatching((result) -> !result.isYes());
		// The third one says whether a majority is heard at all.
		assertThat(this.vote.certain()).isNotDone();
		this.third.completeExceptionally(new IllegalStateException("away"));
		assertThat(this.vote.certain()).isCompletedWithValueMatching(QuorumVote.Result::isUnheard);
	}

}
