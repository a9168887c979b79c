package io.redelay.queue.script;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.redelay.queue.claim.ClaimLane;
import io.redelay.queue.invariant.Invariants;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.wire.StoreWorkbench;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of a consumer with two lanes on a queue that leaves what failed to another
 * instance first, whichever lane it failed on.
 */
class RetryTimesIntegrationTests {

	private static final Duration DELAY = Duration.ofSeconds(5);

	private static final Duration LONG = Duration.ofMinutes(10);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private final String name = TestRedis.queue();

	private final StoreWorkbench instance = new StoreWorkbench(redis.client(), this.name, timer);

	private final StoreWorkbench otherInstance = new StoreWorkbench(redis.client(), this.name, timer);

	@AfterAll
	static void stopTimer() {
		timer.shutdownNow();
	}

	@Test
	void theOtherLaneComesLaterThanAnotherInstanceToo() {
		assertThat(nextOfTheOtherLane(new ClaimLane.RetryTimes(), true)).isBetween(DELAY.plusMillis(100),
				DELAY.plusMillis(101));
	}

	@Test
	void itComesInTimeIfThereIsNoOtherInstance() {
		assertThat(nextOfTheOtherLane(new ClaimLane.RetryTimes(), false)).isBetween(DELAY, DELAY.plusMillis(1));
	}

	/**
	 * When a lane comes back on whose helper a message failed.
	 */
	private Duration nextOfTheOtherLane(ClaimLane.RetryTimes retries, boolean otherSleeps) {
		this.instance.setClock(System.currentTimeMillis() + Duration.ofHours(1).toMillis());
		TestQueue queue = new TestQueue(this.name, this.instance.store);
		ClaimLane helping = lane(this.instance, retries);
		ClaimLane leading = lane(this.instance, retries);
		queue.sender().send(queue.messages(1));
		ClaimReply.Message failed = claim(helping, 1, Duration.ZERO).messages().get(0);
		if (otherSleeps) {
			claim(lane(this.otherInstance, new ClaimLane.RetryTimes()), 1, DELAY.dividedBy(2));
		}
		claim(helping, 0, Duration.ZERO, Settlement.retry(failed.uid(), failed.claim(), DELAY));
		return claim(leading, 1, LONG).next();
	}

	private ClaimLane lane(StoreWorkbench bench, ClaimLane.RetryTimes retries) {
		ClaimLane lane = new ClaimLane(bench.store, this.name, TestQueue.LEASE, ClaimLimits.NONE, true, retries,
				Invariants.LOGGED);
		TestQueue.get(lane.open());
		return lane;
	}

	private static ClaimReply claim(ClaimLane lane, int wanted, Duration sleep, Settlement... settlements) {
		return TestQueue.get(lane.claim(wanted, 0, Integer.MAX_VALUE, false, sleep, List.of(settlements)));
	}

}
