package io.redelay.queue.listener;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.redelay.queue.store.ClaimLane;
import io.redelay.queue.store.LaneRenewal;
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

	private final ClaimLane lane = new ClaimLane(this.store, "orders", LEASE);

	@Test
	void renewsAgainAfterARenewalThatThrew() {
		this.store.failure = new OutOfMemoryError("for a test");
		renew(() -> {
		});
		assertThat(this.store.renewals).isEqualTo(3);
	}

	@Test
	void renewsAgainAfterWhoWasToldOfADeadLaneThrew() {
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

	private CancellationWatch nothingHeld() {
		return new CancellationWatch("orders", this.store, this.time, List::of);
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

		@Override
		public CompletableFuture<LaneRenewal> renewLane(String queue, String lane, Duration lease, long answered) {
			this.renewals++;
			if (this.failure != null) {
				throw this.failure;
			}
			return CompletableFuture.completedFuture(this.alive ? LaneRenewal.RENEWED : LaneRenewal.LOST);
		}

	}

}
