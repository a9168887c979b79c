package io.redelay.queue.request;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.redelay.test.VirtualTime;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link LaneReplacement}.
 */
class LaneReplacementTests {

	private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);

	private final List<Rollback> rollbacks = new ArrayList<>();

	private final VirtualTime time = new VirtualTime();

	private final ReplayMemory memory = new ReplayMemory(Duration.ofMinutes(1), 10_000, this.rollbacks::add, this.time);

	/**
	 * By the name of a lane, the number of its last request.
	 */
	private final Map<String, Long> lanes = new HashMap<>();

	/**
	 * What the store has carried out.
	 */
	private final List<String> carriedOut = new ArrayList<>();

	/**
	 * The replies, by the lane and the number of the request.
	 */
	private final Map<String, Reply> replies = new HashMap<>();

	private int opened;

	/**
	 * How many requests are answered until the answer to one is lost.
	 */
	private int untilLostAnswer = Integer.MAX_VALUE;

	/**
	 * Why "stuck" cannot be carried out now, if it cannot.
	 */
	private @Nullable StoreException stuckBy;

	/**
	 * How many times "stuck" is carried out until the database is away.
	 */
	private int untilStuck = Integer.MAX_VALUE;

	/**
	 * How many requests are carried out until Redis goes back again.
	 */
	private int untilRollback = Integer.MAX_VALUE;

	private final RequestProtocol<String, Reply> protocol = new RequestProtocol<>(
			new RequestProtocol.Settings("orders", Rollback.Lane.SENDER, 10, 1000), String::length, this::openLane,
			(lane, seq, renews, items, attempt) -> {
				Reply reply = run(lane, seq, items);
				return (this.untilLostAnswer-- != 0) ? CompletableFuture.completedFuture(reply)
						: CompletableFuture.failedFuture(new OutcomeUnknownException("no answer came", null));
			},
			(lane) -> CompletableFuture
				.completedFuture(new SenderState(this.lanes.containsKey(lane) ? LaneStatus.OK : LaneStatus.GONE, NOW,
						this.lanes.getOrDefault(lane, 0L))));

	private final LaneRecord<String, Reply> lane = new LaneRecord<>(this.protocol, this.memory, () -> {
	});

	private final LaneReplacement<String, Reply> replacement = new LaneReplacement<>(this.lane, this.protocol,
			this.memory);

	@Test
	void whatWasRepeatedIsRepeatedAgainIfRedisGoesBackAgain() {
		forget(List.of("a"), List.of("b", "later", "c"), List.of("d"));
		this.untilRollback = 2;
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> this.replacement.repair(this.lane.name()).join())
			.withMessageContaining("Redis went back in time again");
		assertThat(this.carriedOut).isEmpty();
		this.untilRollback = Integer.MAX_VALUE;
		this.replacement.repair(this.lane.name()).join();
		assertThat(this.carriedOut).containsExactly("a", "b", "later", "c", "d");
		assertThat(this.rollbacks).last().extracting(Rollback::missing).isEqualTo(0L);
		assertThat(this.lane.answered().after(0)).flatExtracting(ReplayBuffer.Entry::items)
			.containsExactly("a", "b", "later", "c", "d");
	}

	/**
	 * The answer may say that the request left some of its items.
	 */
	@Test
	void aRepeatedRequestWithoutAnAnswerIsAskedForAgain() {
		forget(List.of("a"), List.of("b", "later", "c"), List.of("d"));
		this.untilLostAnswer = 1;
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> this.replacement.repair(this.lane.name()).join())
			.withMessageContaining("no answer came");
		assertThat(this.carriedOut).containsExactly("a", "b");
		String name = this.lane.name();
		assertThat(this.replacement.repair(name).join()).isEqualTo(name);
		assertThat(this.carriedOut).containsExactly("a", "b", "later", "c", "d");
		assertCounted(3, 5, 0);
		assertThat(this.lane.state()).isEqualTo(LaneRecord.State.OPEN);
		assertThat(this.replacement.repair(name).join()).as("nothing is left to repeat").isNotEqualTo(name);
		assertThat(this.carriedOut).hasSize(5);
	}

	@Test
	void aRepeatedRequestWithoutAnAnswerIsRepeatedAgainIfRedisForgotItsLane() {
		forget(List.of("a"), List.of("b", "later", "c"), List.of("d"));
		this.untilLostAnswer = 1;
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> this.replacement.repair(this.lane.name()).join());
		goBack();
		this.replacement.repair(this.lane.name()).join();
		assertThat(this.carriedOut).containsExactly("a", "b", "later", "c", "d");
	}

	@Test
	void whatCannotBeRepeatedNowIsRepeatedByTheNextRepair() {
		forget(List.of("a"), List.of("b", "stuck", "c"), List.of("d"));
		this.stuckBy = new StoreException("the database is away", null, true);
		for (int i = 0; i < LaneReplacement.MAX_IN_VAIN + 2; i++) {
			assertHeldUp();
			assertThat(this.carriedOut).containsExactly("a", "b");
			assertThat(this.lane.state()).isEqualTo(LaneRecord.State.ABANDONED);
		}
		this.stuckBy = null;
		this.replacement.repair(this.lane.name()).join();
		assertThat(this.carriedOut).containsExactly("a", "b", "stuck", "c", "d");
		assertCounted(3, 5, 0);
	}

	/**
	 * The attempts while it was held up do not count.
	 */
	@Test
	void whatWasHeldUpAndThenFailsForCertainIsLeftOut() {
		forget(List.of("a"), List.of("b", "stuck", "c"), List.of("d"));
		this.stuckBy = new StoreException("the database is away", null, true);
		for (int i = 0; i < LaneReplacement.MAX_IN_VAIN + 2; i++) {
			assertHeldUp();
		}
		this.stuckBy = new StoreException("it cannot be read", null);
		int before = this.replies.size();
		this.replacement.repair(this.lane.name()).join();
		assertThat(this.carriedOut).containsExactly("a", "b", "c", "d");
		assertThat(this.replies).as("requests").hasSize(before + LaneReplacement.MAX_IN_VAIN + 2);
		assertThat(this.lane.state()).isEqualTo(LaneRecord.State.OPEN);
	}

	@Test
	void whatCannotBeRepeatedForLongIsMissingAndHoldsUpNothing() {
		forget(List.of("stuck", "a"), List.of("stuck", "b", "stuck"), List.of("c"));
		this.stuckBy = new StoreException("the database is away", null, true);
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> this.replacement.repair(this.lane.name()).join());
		this.time.advance(this.memory.duration().multipliedBy(3));
		this.replacement.repair(this.lane.name()).join();
		assertThat(this.carriedOut).containsExactly("a", "b", "c");
		assertCounted(3, 3, 2);
	}

	/**
	 * Others are held up by the same database, one after the other.
	 */
	@Test
	void eachItemMayWaitAnew() {
		forget(List.of("stuck", "a"), List.of("stuck"));
		Duration nearlyTooLong = this.memory.duration().multipliedBy(3).minusSeconds(1);
		this.stuckBy = new StoreException("the database is away", null, true);
		assertHeldUp();
		this.time.advance(nearlyTooLong);
		this.stuckBy = null;
		this.untilStuck = 1;
		assertHeldUp();
		assertThat(this.carriedOut).containsExactly("stuck", "a");
		this.time.advance(nearlyTooLong);
		assertHeldUp();
		this.stuckBy = null;
		this.replacement.repair(this.lane.name()).join();
		assertThat(this.carriedOut).containsExactly("stuck", "a", "stuck");
		assertCounted(2, 3, 0);
	}

	/**
	 * A database that was away is not asked for up to a minute.
	 */
	@Test
	void anItemMayWaitForMinutesEvenIfLittleIsRemembered() {
		ReplayMemory brief = new ReplayMemory(Duration.ofSeconds(1), 10_000, this.rollbacks::add, this.time);
		LaneReplacement<String, Reply> other = new LaneReplacement<>(this.lane, this.protocol, brief);
		forget(List.of("stuck"));
		this.stuckBy = new StoreException("the database is away", null, true);
		assertHeldUp(other);
		this.time.advance(Duration.ofSeconds(119));
		assertHeldUp(other);
		this.stuckBy = null;
		other.repair(this.lane.name()).join();
		assertCounted(1, 1, 0);
	}

	private void assertHeldUp() {
		assertHeldUp(this.replacement);
	}

	private void assertHeldUp(LaneReplacement<String, Reply> repair) {
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> repair.repair(this.lane.name()).join())
			.withMessageContaining("Commands on the queue 'orders' that Redis has forgotten are to be given again")
			.withMessageEndingWith("Of the first one: the database is away")
			.satisfies((failure) -> assertThat(StoreException.isAway(failure)).isTrue());
	}

	@Test
	void aRequestOfWhichSeveralItemsAreMissingCountsOnce() {
		forget(List.of("stuck", "a", "stuck", "stuck", "b"), List.of("c"), List.of("stuck", "stuck"));
		this.stuckBy = new StoreException("it cannot be read", null);
		this.replacement.repair(this.lane.name()).join();
		assertThat(this.carriedOut).containsExactly("a", "b", "c");
		assertCounted(3, 3, 2);
	}

	@Test
	void whatIsRepeatedOfARequestBeforeItIsOverCounts() {
		forget(List.of("b", "stuck"));
		this.stuckBy = new StoreException("the database is away", null, true);
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> this.replacement.repair(this.lane.name()).join());
		assertThat(this.rollbacks).isEmpty();
		this.stuckBy = null;
		this.replacement.repair(this.lane.name()).join();
		assertCounted(1, 2, 0);
	}

	@Test
	void whatIsMissingOfARequestBeforeItIsOverCounts() {
		forget(List.of("stuck", "b"));
		leaveOutStuckAndLoseNextAnswer();
		this.replacement.repair(this.lane.name()).join();
		assertThat(this.carriedOut).containsExactly("b");
		assertCounted(1, 1, 1);
	}

	@Test
	void whatIsMissingOfARequestCountsIfRedisGoesBackBeforeItIsOver() {
		forget(List.of("stuck", "b"));
		leaveOutStuckAndLoseNextAnswer();
		goBack();
		this.replacement.repair(this.lane.name()).join();
		assertThat(this.carriedOut).containsExactly("b");
		assertCounted(1, 1, 1);
	}

	@Test
	void whatWasReportedDoesNotCountAgain() {
		forget(List.of("a"), List.of("stuck", "b"), List.of("c"));
		this.stuckBy = new StoreException("it cannot be read", null);
		this.untilLostAnswer = 1 + LaneReplacement.MAX_IN_VAIN;
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> this.replacement.repair(this.lane.name()).join());
		assertCounted(1, 1, 1);
		this.replacement.repair(this.lane.name()).join();
		assertCounted(3, 3, 1);
	}

	private void leaveOutStuckAndLoseNextAnswer() {
		this.stuckBy = new StoreException("it cannot be read", null);
		this.untilLostAnswer = LaneReplacement.MAX_IN_VAIN;
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> this.replacement.repair(this.lane.name()).join())
			.withMessageContaining("no answer came");
		assertThat(this.rollbacks).isEmpty();
	}

	@Test
	void whatIsHeldUpAfterAnotherWasLeftOutWaitsAsLong() {
		forget(List.of("stuck"), List.of("stuck", "a"));
		StoreException away = new StoreException("the database is away", null, true);
		this.stuckBy = away;
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> this.replacement.repair(this.lane.name()).join());
		this.stuckBy = new StoreException("it cannot be read", null);
		this.untilLostAnswer = LaneReplacement.MAX_IN_VAIN;
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> this.replacement.repair(this.lane.name()).join())
			.withMessageContaining("no answer came");
		this.time.advance(Duration.ofMinutes(5));
		this.stuckBy = away;
		this.replies.clear();
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> this.replacement.repair(this.lane.name()).join())
			.withMessageContaining("the database is away");
		this.stuckBy = null;
		this.replacement.repair(this.lane.name()).join();
		assertThat(this.carriedOut).containsExactly("stuck", "a");
		assertCounted(2, 2, 1);
	}

	@SafeVarargs
	private void forget(List<String>... requests) {
		this.lane.open().join();
		for (List<String> items : requests) {
			this.lane.nextNumber();
			this.lane.answered(items, new Reply(LaneStatus.OK, items.size(), null));
		}
		this.lane.failed(false);
		goBack();
	}

	/**
	 * All reports together.
	 */
	private void assertCounted(long forgotten, long repeated, long missing) {
		assertThat(this.rollbacks.stream().mapToLong(Rollback::forgotten).sum()).as("forgotten").isEqualTo(forgotten);
		assertThat(this.rollbacks.stream().mapToLong(Rollback::repeated).sum()).as("repeated").isEqualTo(repeated);
		assertThat(this.rollbacks.stream().mapToLong(Rollback::missing).sum()).as("missing").isEqualTo(missing);
	}

	private CompletableFuture<String> openLane() {
		String name = "lane-" + ++this.opened;
		this.lanes.put(name, 0L);
		return CompletableFuture.completedFuture(name);
	}

	private void goBack() {
		this.lanes.clear();
		this.carriedOut.clear();
	}

	/**
	 * A request does not carry out what is behind its first item if that is to come
	 * later. One that is stuck is not carried out, nor is what is behind it.
	 */
	private Reply run(String name, long seq, List<String> items) {
		if (this.untilRollback-- == 0) {
			goBack();
		}
		if (!this.lanes.containsKey(name)) {
			return new Reply(LaneStatus.GONE, 0, null);
		}
		Reply before = this.replies.get(name + " " + seq);
		if (before != null) {
			return before;
		}
		this.lanes.put(name, seq);
		int later = items.indexOf("later");
		int done = (later > 0) ? later : items.size();
		if (items.contains("stuck") && this.untilStuck-- == 0) {
			this.stuckBy = new StoreException("the database is away", null, true);
		}
		int stuck = (this.stuckBy != null) ? items.indexOf("stuck") : -1;
		boolean isStuck = stuck >= 0 && stuck <= done;
		Reply reply = new Reply(LaneStatus.OK, isStuck ? stuck : done, isStuck ? this.stuckBy : null);
		this.carriedOut.addAll(items.subList(0, reply.carriedOut()));
		this.replies.put(name + " " + seq, reply);
		return reply;
	}

	private record Reply(LaneStatus status, int carriedOut,
			@Nullable StoreException failure) implements LaneReply<Reply> {

		@Override
		public Instant time() {
			return NOW;
		}

		@Override
		public Reply part(int first, int size) {
			return this;
		}

		@Override
		public int done(int size) {
			return this.carriedOut;
		}

	}

}
