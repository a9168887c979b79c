package io.redelay.queue.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.handle.Delivery;
import io.redelay.queue.script.IsCancelledScript;
import io.redelay.queue.script.RenewLaneScript;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.IdleStore;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LaneRenewer}: nothing ends the renewals but that none are needed.
 */
class LaneRenewerTests {

	private static final Duration LEASE = Duration.ofSeconds(30);

	private final VirtualTime time = new VirtualTime();

	private final Store store = new Store();

	private final ClaimLane lane = TestScripts.lane(this.store.scripts(), "orders", LEASE);

	@Test
	void renewsAgainAfterARenewalThatThrew() {
		this.store.failure = new OutOfMemoryError("for a test");
		renew(() -> {
		});
		assertThat(this.store.renewals).isEqualTo(3);
	}

	@Test
	void renewsAgainAfterAListenerOfADeadLaneThrew() {
		this.store.alive = false;
		renew(() -> {
			throw new OutOfMemoryError("for a test");
		});
		assertThat(this.store.renewals).isEqualTo(3);
	}

	@Test
	void beginsWithALaterRequestIfTheTimerTookNoTask() {
		VirtualTime scheduler = Mockito.spy(this.time);
		Mockito.doReturn(null).doCallRealMethod().when(scheduler).schedule(Mockito.any(), Mockito.anyLong());
		this.lane.open().join();
		LaneRenewer renewer = new LaneRenewer(this.lane, LEASE, scheduler, () -> {
		}, nothingHeld());
		renewer.need(true);
		assertThat(scheduler.scheduled()).isZero();
		renewer.need(true);
		assertThat(scheduler.scheduled()).isEqualTo(1);
	}

	@Test
	void isValidForALeaseAfterTheLastRenewalAndNoLonger() {
		LaneRenewer renewer = renewer(nothingHeld());
		this.time.advance(LEASE.minusNanos(1));
		assertThat(renewer.isValid()).isTrue();
		this.time.advance(Duration.ofNanos(1));
		assertThat(renewer.isValid()).isFalse();
		renewer.renewed(this.time.nanoTime() - LEASE.dividedBy(2).toNanos());
		assertThat(renewer.isValid()).as("counts from when the request was sent").isTrue();
		this.time.advance(LEASE.dividedBy(2));
		assertThat(renewer.isValid()).isFalse();
	}

	@Test
	void anOlderRenewalDoesNotShortenTheLease() {
		LaneRenewer renewer = renewer(nothingHeld());
		renewer.renewed(this.time.nanoTime() - LEASE.toNanos());
		assertThat(renewer.isValid()).isTrue();
	}

	@Test
	void looksAThirdOfALeaseAfterACancellationAtTheLatestHoweverShortlyTheMessageIsHeld() {
		List<Delivery> held = new ArrayList<>();
		this.store.cancelled = Set.of("a");
		LaneRenewer renewer = renewer(new CancellationWatch("orders",
				new IsCancelledScript(this.store.scripts().runner()), this.time, () -> held));
		renewer.need(true);
		// A busy lane is renewed by its claims.
		this.time.advance(LEASE.dividedBy(3).minusMillis(1));
		renewer.renewed(this.time.nanoTime());
		Delivery delivery = CancellationWatchTests.delivery("a", this.time);
		held.add(delivery);
		this.time.advance(LEASE.dividedBy(3).minusMillis(2));
		assertThat(delivery.isCalledOff()).isTrue();
		assertThat(this.store.renewals).isZero();
	}

	private LaneRenewer renewer(CancellationWatch watch) {
		this.lane.open().join();
		return new LaneRenewer(this.lane, LEASE, this.time, () -> {
		}, watch);
	}

	@Test
	void renewsAnOpenLaneAtOnceWhenRedisAnswersAgain() {
		boolean[] dead = { false };
		LaneRenewer renewer = new LaneRenewer(this.lane, LEASE, this.time, () -> dead[0] = true, nothingHeld());
		renewer.renewNow();
		assertThat(this.store.renewals).as("not open").isZero();
		this.lane.open().join();
		renewer.renewNow();
		assertThat(this.store.renewals).isOne();
		assertThat(dead[0]).isFalse();
		this.store.alive = false;
		renewer.renewNow();
		assertThat(dead[0]).isTrue();
	}

	private CancellationWatch nothingHeld() {
		return new CancellationWatch("orders", new IsCancelledScript(this.store.scripts().runner()), this.time,
				List::of);
	}

	private void renew(Runnable died) {
		this.lane.open().join();
		LaneRenewer renewer = new LaneRenewer(this.lane, LEASE, this.time, died, nothingHeld());
		renewer.need(true);
		this.time.advance(LEASE);
	}

	private static final class Store extends IdleStore {

		private int renewals;

		private boolean alive = true;

		private Error failure;

		private Set<String> cancelled = Set.of();

		@Override
		protected CompletableFuture<Set<String>> findCancelled(String queue, List<String> uids) {
			return CompletableFuture.completedFuture(this.cancelled);
		}

		@Override
		protected CompletableFuture<RenewLaneScript.Reply> renewLane(String queue, String lane, Duration lease,
				long answered) {
			this.renewals++;
			if (this.failure != null) {
				throw this.failure;
			}
			return CompletableFuture
				.completedFuture(this.alive ? new RenewLaneScript.Reply(true, false) : RenewLaneScript.Reply.LOST);
		}

	}

}
