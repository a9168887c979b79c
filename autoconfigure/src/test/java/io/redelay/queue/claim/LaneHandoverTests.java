package io.redelay.queue.claim;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.redelay.queue.wire.TestScripts;
import io.redelay.test.IdleStore;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LaneHandover}: the loop waits for it, so it must not be given up.
 */
class LaneHandoverTests {

	private static final String QUEUE = "orders";

	private final VirtualTime time = new VirtualTime();

	@Test
	void triesAgainAfterAnError() {
		ClaimLane lane = TestScripts.lane(new FailingOnce().scripts(), QUEUE, Duration.ofSeconds(30));
		lane.open().join();
		LaneHandover recovery = new LaneHandover(QUEUE, "test", false, new ClaimLane.Forgotten(0, List.of()),
				List.of());
		AtomicBoolean done = new AtomicBoolean();
		LoopTimer timer = new LoopTimer(this.time, "test", QUEUE, () -> {
		});
		recovery.run(lane, this.time, timer, (reply, sentNanos) -> done.set(true));
		assertThat(done).isFalse();
		this.time.advance(Duration.ofSeconds(2));
		assertThat(done).isTrue();
	}

	private static final class FailingOnce extends IdleStore {

		private boolean failed;

		@Override
		protected CompletableFuture<Void> openLane(String queue, String lane, Duration lease, long before) {
			if (lane.equals("idle.2") && !this.failed) {
				this.failed = true;
				throw new OutOfMemoryError("for a test");
			}
			return super.openLane(queue, lane, lease, before);
		}

	}

}
