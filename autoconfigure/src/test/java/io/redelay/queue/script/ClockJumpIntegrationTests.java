package io.redelay.queue.script;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.redelay.queue.claim.ClaimLane;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.wire.StoreWorkbench;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A new master whose clock is behind or ahead: leases and due times go by it.
 */
class ClockJumpIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private final String name = TestRedis.queue();

	private long now = System.currentTimeMillis();

	private StoreWorkbench bench;

	private TestQueue queue;

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	@BeforeEach
	void setUp() {
		this.bench = new StoreWorkbench(redis.client(), this.name, timer);
		this.queue = new TestQueue(this.name, this.bench.store);
		jump(Duration.ZERO);
	}

	@Test
	void theFirstLaneAfterAJumpAheadKeepsWhatItHolds() {
		this.queue.sender().send(this.queue.messages(2));
		ClaimLane lane = lane();
		List<ClaimReply.Message> held = claim(lane).messages();
		TestQueue.Consumer other = this.queue.consumer();
		jump(Duration.ofMinutes(10));
		assertThat(TestQueue.get(lane.renew()).alive()).isTrue();
		assertThat(other.claim(10).status()).isEqualTo(LaneStatus.OK);
		assertThat(other.claim(10).messages()).isEmpty();
		assertThat(claim(lane, held).refused()).isEmpty();
	}

	@Test
	void aLaneThatComesLaterAfterAJumpAheadTakesBackWhatNoOtherWasGiven() {
		this.queue.sender().send(this.queue.messages(2));
		ClaimLane lane = lane();
		List<ClaimReply.Message> held = claim(lane).messages();
		TestQueue.Consumer other = this.queue.consumer();
		jump(Duration.ofMinutes(10));
		// It is given one of the two.
		List<ClaimReply.Message> taken = other.claim(1).messages();
		assertThat(taken).hasSize(1);
		ClaimReply gone = claim(lane);
		assertThat(gone.status()).isEqualTo(LaneStatus.GONE);
		assertThat(lane.hasClockJumped(gone.time())).isTrue();
		List<ResumeScript.Holding> holdings = held.stream()
			.map((message) -> new ResumeScript.Holding(message.uid(), message.claim(), false))
			.toList();
		assertThat(TestQueue.get(lane.resume(holdings, false)).refused()).containsExactly(taken.get(0).uid());
		assertThat(claim(lane, held).refused()).containsExactly(taken.get(0).uid());
		assertThat(other.claim(0, Settlement.ack(taken.get(0).uid(), taken.get(0).claim())).refused()).isEmpty();
	}

	@Test
	void aJumpBackMakesNothingEarlyAndNoLeaseShorter() {
		TestQueue.Sender sender = this.queue.sender();
		sender.send(this.queue.message("later", Duration.ofSeconds(10)));
		sender.send(this.queue.message("now"));
		ClaimLane lane = lane();
		List<ClaimReply.Message> held = claim(lane).messages();
		assertThat(held).hasSize(1);
		jump(Duration.ofSeconds(-5));
		TestQueue.Consumer other = this.queue.consumer();
		assertThat(other.claim(10).messages()).isEmpty();
		jump(Duration.ofSeconds(14));
		assertThat(other.claim(10).messages()).isEmpty();
		jump(Duration.ofSeconds(2));
		assertThat(other.claim(10).messages()).extracting(TestQueue::payload).containsExactly("later");
		assertThat(claim(lane, held).refused()).isEmpty();
	}

	private ClaimLane lane() {
		ClaimLane lane = TestScripts.lane(this.bench.store, this.name, TestQueue.LEASE);
		TestQueue.get(lane.open());
		return lane;
	}

	private static ClaimReply claim(ClaimLane lane) {
		return TestQueue.get(lane.claim(10, 0, Integer.MAX_VALUE, true, Duration.ZERO, List.of()));
	}

	private static ClaimReply claim(ClaimLane lane, List<ClaimReply.Message> finished) {
		return TestQueue.get(lane.claim(0, 0, Integer.MAX_VALUE, true, Duration.ZERO,
				finished.stream().map((message) -> Settlement.ack(message.uid(), message.claim())).toList()));
	}

	private void jump(Duration by) {
		this.now += by.toMillis();
		this.bench.setClock(this.now);
	}

}
