package io.redelay.queue.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.AckMode;
import io.redelay.queue.handle.ContainerSettings;
import io.redelay.queue.handle.HandlingTimeEstimate;
import io.redelay.queue.handle.QueueOrder;
import io.redelay.queue.invariant.Invariant;
import io.redelay.queue.invariant.Invariants;
import io.redelay.test.TestSettings;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link Permits} and the {@link HandlingTimeEstimate} that they follow.
 */
class PermitsTests {

	private static final int ALL = 1000;

	private final Permits.Claimant one = new Loop("one", false);

	private final Permits.Claimant two = new Loop("two", false);

	private final Permits.Claimant three = new Loop("three", false);

	private final List<Invariant> violated = new ArrayList<>();

	private HandlingTimeEstimate pace = new HandlingTimeEstimate(null);

	@Test
	void hasRoomForHandlersAndPrefetch() {
		Permits permits = permits(settings(2, 2, 3, 1, "one"));
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(5);
		assertThat(permits.reserve(this.one, ALL)).isZero();
		permits.release(this.one, 2);
		assertThat(permits.reserve(this.one, 1)).isEqualTo(1);
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(1);
		assertThat(permits.held()).isEqualTo(5);
	}

	@Test
	void nothingIsClaimedAheadWhileLimitsAreSetForAllInstances() {
		Permits permits = permits(settings(2, 2, 3, 1, "one", "two"));
		permits.limit(this.one, true);
		permits.limit(this.two, true);
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(2);
		permits.limit(this.one, false);
		assertThat(permits.reserve(this.one, ALL)).as("of any queue of the container").isZero();
		permits.limit(this.two, false);
		assertThat(permits.reserve(this.one, ALL)).isPositive();
	}

	@Test
	void theQueueThatFoundNoRoomGoesFirst() {
		Permits permits = permits(settings(1, 1, 0, 1));
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(1);
		assertThat(permits.reserve(this.two, ALL)).isZero();
		assertThat(permits.reserve(this.three, ALL)).isZero();
		for (int round = 0; round < 3; round++) {
			permits.release(this.one, 1);
			assertThat(permits.reserve(this.one, ALL)).isZero();
			assertThat(permits.reserve(this.three, ALL)).isZero();
			assertThat(permits.reserve(this.two, ALL)).isEqualTo(1);
			permits.release(this.one, 1);
			assertThat(permits.reserve(this.two, ALL)).isZero();
			assertThat(permits.reserve(this.one, ALL)).isZero();
			assertThat(permits.reserve(this.three, ALL)).isEqualTo(1);
			permits.release(this.one, 1);
			assertThat(permits.reserve(this.three, ALL)).isZero();
			assertThat(permits.reserve(this.two, ALL)).isZero();
			assertThat(permits.reserve(this.one, ALL)).isEqualTo(1);
			// From here on in the same order again.
			assertThat(permits.reserve(this.two, ALL)).isZero();
			assertThat(permits.reserve(this.three, ALL)).isZero();
		}
	}

	@Test
	void aHelpingThreadTakesNothingFromOtherQueues() {
		Permits permits = permits(settings(12, 12, 0, 1));
		permits.claimed(this.one, true);
		permits.claimed(this.two, true);
		Permits.Claimant help = new Loop("one", true);
		assertThat(permits.reserve(help, ALL)).isEqualTo(12);
		assertThat(permits.reserve(this.two, ALL)).isZero();
		permits.release(this.one, 12);
		assertThat(permits.reserve(help, ALL)).isZero();
		assertThat(permits.next()).isSameAs(this.two);
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(6);
		assertThat(permits.reserve(this.two, ALL)).isEqualTo(6);
		permits.release(this.one, 12);
		assertThat(permits.reserve(help, ALL)).isEqualTo(12);
	}

	@Test
	void reportsTheFirstInLineWhileThereIsRoom() {
		Permits permits = permits(settings(1, 1, 0, 1));
		assertThat(permits.next()).isNull();
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(1);
		assertThat(permits.reserve(this.two, ALL)).isZero();
		assertThat(permits.reserve(this.three, ALL)).isZero();
		assertThat(permits.next()).isNull();
		permits.release(this.one, 1);
		assertThat(permits.next()).isSameAs(this.two);
		permits.leaveLine(this.two);
		assertThat(permits.next()).isSameAs(this.three);
	}

	@Test
	void roomIsSignalledToAllInLineButNotAgainToTheOneThatWasSignalled() {
		Permits permits = permits(settings(2, 2, 0, 1));
		List<String> signalled = new ArrayList<>();
		Permits.Claimant first = signalled("one", signalled);
		Permits.Claimant second = signalled("two", signalled);
		permits.reserve(this.three, ALL);
		permits.reserve(first, ALL);
		permits.release(this.three, 1);
		permits.signalRoom(first);
		assertThat(signalled).as("is alone in line, and was signalled before").isEmpty();
		permits.signalRoom(second);
		assertThat(signalled).containsExactly("one");
		permits.reserve(second, ALL);
		permits.leaveLine(first);
		permits.signalRoom(first);
		assertThat(signalled).as("is alone in line since the other has left").containsExactly("one", "two");
		permits.withdraw(second);
		permits.signalRoom(null);
		assertThat(signalled).as("none is in line").hasSize(2);
	}

	static Permits.Claimant signalled(String queue, List<String> signalled) {
		return new Permits.Claimant() {

			@Override
			public String queue() {
				return queue;
			}

			@Override
			public boolean yields() {
				return false;
			}

			@Override
			public void signal() {
				signalled.add(queue);
			}

		};
	}

	@Test
	void sharesWhatThereIs() {
		Permits permits = permits(settings(10, 10, 0, 1));
		permits.claimed(this.one, true);
		permits.claimed(this.two, true);
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(10);
		assertThat(permits.reserve(this.two, ALL)).isZero();
		permits.release(this.one, 10);
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(5);
		assertThat(permits.reserve(this.two, ALL)).isEqualTo(5);
	}

	@Test
	void keepsNothingForAReceiverThatLeftTheLine() {
		Permits permits = permits(settings(4, 4, 0, 1));
		permits.claimed(this.one, true);
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(4);
		assertThat(permits.reserve(this.two, ALL)).isZero();
		permits.leaveLine(this.two);
		permits.release(this.one, 4);
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(4);
	}

	@Test
	void sharesWholeBatches() {
		Permits permits = permits(settings(1, 1, 0, 10));
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(10);
		assertThat(permits.reserve(this.two, ALL)).isZero();
		permits.release(this.one, 10);
		assertThat(permits.reserve(this.one, ALL)).isZero();
		assertThat(permits.reserve(this.two, ALL)).isEqualTo(10);
	}

	@Test
	void aBusyQueueLeavesRoomToClaimFromTheOthersAtOnce() {
		Permits permits = permits(settings(8, 8, 100, 1));
		permits.claimed(this.one, true);
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(8 + 100 - 2);
		assertThat(permits.reserve(this.one, ALL)).isZero();
		assertThat(permits.next()).as("is not notified of room that is not for it").isNull();
		assertThat(permits.reserve(this.two, ALL)).isEqualTo(2);
		permits.release(this.two, 1);
		assertThat(permits.reserve(this.three, ALL)).as("before the busy one").isEqualTo(1);
		assertThat(permits.reserve(this.two, ALL)).isZero();
		permits.release(this.one, 1);
		assertThat(permits.next()).as("passes over the busy one").isSameAs(this.two);
		permits.release(this.one, 2);
		assertThat(permits.next()).isSameAs(this.one);
	}

	@Test
	void aBusyPartitionLeavesRoomForTheOthers() {
		Permits permits = permits(settings(8, 8, 100, 1, "one"));
		permits.share(3);
		permits.claimed(this.one, true);
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(8 + 100 - 2);
		assertThat(permits.reserve(this.two, ALL)).isEqualTo(2);
	}

	@Test
	void aBusyQueueLeavesNoMoreThanHalfOfWhatIsClaimedAhead() {
		Permits permits = permits(settings(4, 4, 3, 1));
		permits.claimed(this.one, true);
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(4 + 3 - 1);
		permits = permits(settings(4, 4, 0, 1));
		permits.claimed(this.one, true);
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(4);
	}

	@Test
	void aBusyQueueLeavesWholeBatches() {
		Permits permits = permits(settings(1, 1, 100, 10));
		permits.claimed(this.one, true);
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(10 + 100 - 20);
		assertThat(permits.reserve(this.two, ALL)).isEqualTo(20);
	}

	@Test
	void aQueueThatIsNotBusyTakesHalfSoThatOthersCanClaimMeanwhile() {
		Permits permits = permits(settings(8, 8, 0, 1));
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(4);
		assertThat(permits.reserve(this.two, ALL)).isEqualTo(2);
		assertThat(permits.reserve(this.three, ALL)).isEqualTo(2);
		assertThat(permits.reserve(this.three, ALL)).isZero();
	}

	@Test
	void aQueueIsBusyWhileItsClaimsAreFilled() {
		Permits permits = permits(settings(8, 8, 0, 1));
		permits.claimed(this.one, true);
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(8);
		permits.release(this.one, 8);
		permits.claimed(this.one, false);
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(4);
	}

	@Test
	void prefetchesWhatIsHandledInATenthOfASecond() {
		Permits permits = permits(settings(2, 2, null, 1, "one"));
		assertThat(permits.reserve(this.one, ALL)).as("nothing is known").isEqualTo(2);
		permits.release(this.one, 2);
		this.pace.handled(TimeUnit.MILLISECONDS.toNanos(10));
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(2 + 2 * 10);
		permits.release(this.one, 22);
		this.pace.stalled(2);
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(2);
		permits.release(this.one, 2);
		for (int i = 0; i < 100; i++) {
			this.pace.handled(1000);
		}
		assertThat(permits.reserve(this.one, ALL)).as("the most").isEqualTo(2 + 500);
	}

	@Test
	void noMoreOfOrderingKeysAreClaimedWhileManyAreHeldBehindOthers() {
		Permits permits = permits(settings(2, 2, null, 1));
		assertThat(permits.behind()).as("nothing is known").isZero();
		this.pace.handled(1000);
		assertThat(permits.behind()).isEqualTo(100);
		permits.addBehind(499);
		assertThat(permits.behind()).isEqualTo(100);
		permits.addBehind(1);
		assertThat(permits.behind()).isZero();
		permits.addBehind(-1);
		assertThat(permits.behind()).isEqualTo(100);
	}

	@Test
	void slowHandlersGetNothingInAdvance() {
		Permits permits = permits(settings(2, 2, null, 1));
		this.pace.handled(TimeUnit.SECONDS.toNanos(1));
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(2);
	}

	@Test
	void movesWithinItsRange() {
		Permits permits = permits(settings(1, 3, 0, 1));
		assertThat(permits.count()).isEqualTo(1);
		for (int i = 0; i < 5; i++) {
			permits.claimed(this.one, true);
		}
		assertThat(permits.count()).isEqualTo(3);
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(3);
		for (int i = 0; i < 5; i++) {
			permits.claimed(this.one, false);
		}
		assertThat(permits.count()).isEqualTo(1);
		assertThat(permits.reserve(this.one, ALL)).as("holds more than it may now").isZero();
	}

	@Test
	void keepsThePermitsThatABusyQueueNeeds() {
		Permits permits = permits(settings(1, 3, 0, 1));
		permits.claimed(this.one, true);
		permits.claimed(this.one, true);
		permits.claimed(this.two, false);
		permits.claimed(this.three, false);
		assertThat(permits.count()).as("one is busy").isEqualTo(3);
		permits.claimed(this.one, false);
		permits.claimed(this.two, false);
		assertThat(permits.count()).isEqualTo(1);
	}

	@Test
	void roomThatIsReleasedTwiceIsReportedAndNotThere() {
		Permits permits = permits(settings(1, 1, 0, 1));
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(1);
		permits.release(this.one, 1);
		assertThat(this.violated).isEmpty();
		permits.release(this.one, 1);
		assertThat(this.violated).containsExactly(Invariant.HELD_COUNT);
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(1);
	}

	@Test
	void aPlaceOfASuspectThatIsReleasedTwiceIsReportedAndNotThere() {
		Permits places = permits(settings(1, 1, 0, 1));
		assertThat(places.reserveSuspect()).isTrue();
		places.releaseSuspect("one");
		assertThat(this.violated).isEmpty();
		places.releaseSuspect("one");
		assertThat(this.violated).containsExactly(Invariant.SUSPECT_COUNT);
		assertThat(places.reserveSuspect()).isTrue();
		assertThat(places.reserveSuspect()).isFalse();
	}

	@Test
	void inAStrictOrderAQueueHasNoRoomWhileOneBeforeItMayHaveSomething() {
		Permits permits = permits(strict(2, 0));
		assertThat(permits.reserve(this.two, ALL)).as("nothing is known of the first").isZero();
		assertThat(permits.waitsFor("two")).isEqualTo("one");
		assertThat(permits.reserve(this.one, 1)).isEqualTo(1);
		assertThat(permits.isAhead("two")).isTrue();
		permits.answered(this.one, 1, 1);
		permits.claimed(this.one, true);
		assertThat(permits.reserve(this.two, ALL)).as("the first one may have more").isZero();
		assertThat(permits.next()).isNull();
		assertThat(permits.reserve(this.one, 1)).isEqualTo(1);
		permits.answered(this.one, 1, 0);
		permits.claimed(this.one, false);
		assertThat(permits.next()).isSameAs(this.two);
		assertThat(permits.isAhead("two")).isFalse();
		assertThat(permits.waitsFor("two")).isNull();
		assertThat(permits.reserve(this.two, ALL)).isEqualTo(1);
		permits.answered(this.two, 1, 1);
		permits.claimed(this.two, true);
		assertThat(permits.reserve(this.one, ALL)).as("there is no room").isZero();
		assertThat(permits.reserve(this.two, ALL)).isZero();
		assertThat(permits.isAhead("two")).as("the first one cannot claim now").isFalse();
		permits.release(this.two, 1);
		assertThat(permits.next()).isSameAs(this.one);
		assertThat(permits.isAhead("two")).isTrue();
		assertThat(permits.reserve(this.two, ALL)).isZero();
	}

	@Test
	void inAStrictOrderAQueueThatClaimsNoMoreIsNotWaitedFor() {
		Permits permits = permits(strict(2, 0));
		assertThat(permits.reserve(this.one, 1)).isEqualTo(1);
		permits.answered(this.one, 1, 1);
		permits.claimed(this.one, true);
		assertThat(permits.reserve(this.two, ALL)).isZero();
		permits.withdraw(this.one);
		assertThat(permits.next()).isSameAs(this.two);
		assertThat(permits.reserve(this.three, ALL)).as("nothing is known of the second").isZero();
		permits.withdraw(this.two);
		assertThat(permits.reserve(this.three, ALL)).isEqualTo(1);
	}

	@Test
	void inAStrictOrderTheFirstQueueLeavesNoRoomToOthers() {
		Permits permits = permits(strict(1, 10));
		permits.claimed(this.one, true);
		assertThat(permits.reserve(this.one, ALL)).isEqualTo(11);
		permits.answered(this.one, 11, 0);
		permits.claimed(this.one, false);
		permits.claimed(this.two, true);
		assertThat(permits.reserve(this.two, ALL)).as("one is left to the first queue").isEqualTo(10);
	}

	@Test
	void roomIsGivenByWeight() {
		Permits permits = permits(weighted(1, 0));
		StringBuilder order = new StringBuilder();
		Permits.Claimant last = null;
		for (int i = 0; i < 12; i++) {
			Permits.Claimant next = null;
			for (Permits.Claimant each : List.of(this.one, this.two)) {
				if (permits.reserve(each, ALL) == 1) {
					next = each;
				}
			}
			assertThat(next).isNotNull();
			order.append((next == this.one) ? '1' : '2');
			permits.answered(next, 1, 1);
			permits.claimed(next, true);
			permits.release(next, 1);
			last = next;
		}
		assertThat(last).isNotNull();
		assertThat(order.chars().filter((each) -> each == '1').count()).as(order.toString()).isBetween(8L, 10L);
	}

	@Test
	void aQueueHasNoMoreThanItsShareWhileAnotherWantsSome() {
		Permits permits = permits(weighted(4, 36));
		assertThat(permits.reserve(this.two, 1)).isEqualTo(1);
		permits.answered(this.two, 1, 1);
		permits.claimed(this.two, true);
		assertThat(permits.reserve(this.one, 1)).isEqualTo(1);
		permits.answered(this.one, 1, 1);
		permits.claimed(this.one, true);
		assertThat(permits.reserve(this.two, ALL)).as("a quarter of 40").isEqualTo(9);
		assertThat(permits.reserve(this.two, ALL)).isZero();
		permits.claimed(this.one, false);
		assertThat(permits.reserve(this.two, ALL)).as("the other one wants none").isPositive();
	}

	private static ContainerSettings strict(int handlers, int prefetch) {
		return ordered(handlers, prefetch, new QueueOrder(List.of("one", "two", "three"), true, Map.of()));
	}

	private static ContainerSettings weighted(int handlers, int prefetch) {
		return ordered(handlers, prefetch, new QueueOrder(List.of("one", "two", "three"), false, Map.of("one", 3)));
	}

	private static ContainerSettings ordered(int handlers, int prefetch, QueueOrder order) {
		ContainerSettings plain = settings(handlers, handlers, prefetch, 1);
		return new ContainerSettings("test", plain.queues(),
				new ContainerSettings.Concurrency(handlers, handlers, prefetch), AckMode.AUTO,
				ContainerSettings.Batch.NONE, true, List.of(), order);
	}

	private Permits permits(ContainerSettings settings) {
		Permits permits = new Permits(settings, invariants());
		this.pace = permits.pace();
		return permits;
	}

	private Invariants invariants() {
		return new Invariants((queue, invariant) -> {
			assertThat(queue).isEqualTo("one");
			this.violated.add(invariant);
		});
	}

	static ContainerSettings settings(int min, int max, @Nullable Integer prefetch, int batchSize) {
		return settings(min, max, prefetch, batchSize, "one", "two", "three");
	}

	private static ContainerSettings settings(int min, int max, @Nullable Integer prefetch, int batchSize,
			String... names) {
		Map<String, ContainerSettings.QueueSettings> queues = new LinkedHashMap<>();
		for (String queue : names) {
			queues.put(queue, TestSettings.queue(Duration.ofSeconds(30)));
		}
		return new ContainerSettings("test", queues, new ContainerSettings.Concurrency(min, max, prefetch),
				AckMode.AUTO, new ContainerSettings.Batch(batchSize, Duration.ZERO), true, List.of());
	}

	private record Loop(String queue, boolean yields) implements Permits.Claimant {

		@Override
		public void signal() {
		}

	}

}
