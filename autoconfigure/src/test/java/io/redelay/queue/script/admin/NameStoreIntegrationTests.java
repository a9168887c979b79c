package io.redelay.queue.script.admin;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

import io.redelay.queue.claim.ClaimLane;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.Uids;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.SendRequest;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.TestQueue;
import io.redelay.queue.script.TestSender;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.StoreWorkbench;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.TestRedis;
import io.redelay.test.extent.Extent;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Integration tests for queues that are forgotten while an instance begins to use them.
 */
class NameStoreIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static final Uids UIDS = new Uids();

	private static final int ROUNDS = Extent.of(100, 400);

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	private final QueueScripts store = TestScripts.create(redis.client(), "redelay", Duration.ofSeconds(10), timer,
			ReplayMemory.NONE);

	private final AdminScripts admin = new AdminScripts(redis.client(), "redelay", Duration.ofSeconds(10), timer,
			ReplayMemory.NONE, new RedisAvailability(timer));

	private final QueueNames names = this.admin.names();

	@Test
	void aQueueIsForgottenOnlyIfNothingWasSentSinceItHadNothing() {
		String queue = TestRedis.queue();
		TestSender sender = sender(queue);
		assertThat(look(queue)).isEqualTo(QueueNames.Look.IDLE);
		assertThat(look(queue)).isEqualTo(QueueNames.Look.IDLE);
		assertThat(look(queue)).isEqualTo(QueueNames.Look.DUE);
		send(sender);
		assertThat(look(queue)).isEqualTo(QueueNames.Look.USED);
		assertThat(forget(queue)).isFalse();
		StoreWorkbench.get(new DeleteScript(this.admin).run(queue, true));
		assertThat(look(queue)).isEqualTo(QueueNames.Look.USED); // the mark of the
																	// deletion is there
	}

	/**
	 * Or what is sent again on it, as Redis has forgotten it, would be taken for that of
	 * a queue that was deleted.
	 */
	@Test
	void aLookTakesNothingFromALaneThatWasJustOpened() {
		String queue = TestRedis.queue();
		assertThat(look(queue)).isEqualTo(QueueNames.Look.IDLE);
		String lane = this.store.newLane();
		StoreWorkbench.get(this.store.sends().openSender(queue, lane));
		assertThat(look(queue)).isEqualTo(QueueNames.Look.IDLE);
		assertThat(StoreWorkbench
			.get(this.store.sends()
				.send()
				.run(queue,
						new SendRequest(lane, 1, false,
								List.of(new NewMessage(UIDS.next(), null, null, null, TestQueue.envelope("x"))), null,
								false, false)))
			.status()).isEqualTo(LaneStatus.OK);
	}

	@Test
	void theTurnIsOnesUntilItIsOver() {
		String what = TestRedis.queue();
		assertThat(StoreWorkbench.get(this.names.takeTurn(what, "one", Duration.ofMinutes(1)))).isTrue();
		assertThat(StoreWorkbench.get(this.names.takeTurn(what, "other", Duration.ofMinutes(1)))).isFalse();
		assertThat(StoreWorkbench.get(this.names.takeTurn(what, "one", Duration.ofMillis(1)))).isTrue();
		await().until(() -> StoreWorkbench.get(this.names.takeTurn(what, "other", Duration.ofMinutes(1))));
	}

	@Test
	void noSendAtTheSameMomentIsLeftWithoutAName() {
		for (int round = 0; round < ROUNDS; round++) {
			String queue = TestRedis.queue();
			boolean hasLane = round % 2 == 0;
			TestSender sender = sender(queue);
			if (hasLane) {
				send(sender);
				StoreWorkbench.get(new DeleteScript(this.admin).run(queue, true));
				redis.client().getKeys().delete("redelay:{" + queue + "}:past");
			}
			look(queue);
			look(queue);
			assertThat(look(queue)).isEqualTo(QueueNames.Look.DUE);
			CompletableFuture<?> sent = soon(() -> send(sender));
			CompletableFuture<?> forgotten = soon(() -> forget(queue));
			sent.join();
			forgotten.join();
			assertThat(StoreWorkbench.get(this.admin.count().run(queue)).messages().ready()).isOne();
			assertThat(StoreWorkbench.get(this.admin.names().queues())).as("round %d", round).contains(queue);
			StoreWorkbench.get(new DeleteScript(this.admin).run(queue, true));
		}
	}

	@Test
	void noConsumerAtTheSameMomentIsLeftWithoutAName() {
		for (int round = 0; round < ROUNDS; round++) {
			String queue = TestRedis.queue();
			look(queue);
			look(queue);
			look(queue);
			ClaimLane lane = TestScripts.lane(this.store, queue, Duration.ofSeconds(30));
			CompletableFuture<?> opened = soon(() -> StoreWorkbench.get(lane.open()));
			CompletableFuture<?> forgotten = soon(() -> forget(queue));
			opened.join();
			forgotten.join();
			assertThat(StoreWorkbench.get(this.admin.names().queues())).as("round %d", round).contains(queue);
			StoreWorkbench.get(lane.close());
			StoreWorkbench.get(new DeleteScript(this.admin).run(queue, true));
		}
	}

	private static CompletableFuture<?> soon(Runnable action) {
		return CompletableFuture.runAsync(() -> {
			LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000));
			action.run();
		});
	}

	private TestSender sender(String queue) {
		return new TestSender(this.store, queue, 1000, null);
	}

	private static void send(TestSender sender) {
		StoreWorkbench
			.get(sender.send(List.of(new NewMessage(UIDS.next(), null, null, null, TestQueue.envelope("x")))));
	}

	private QueueNames.Look look(String queue) {
		return StoreWorkbench.get(this.names.look(queue, Duration.ZERO));
	}

	private boolean forget(String queue) {
		return StoreWorkbench.get(this.names.forget(new QueueNames.Begun(queue, "test"), List.of(queue), "test"));
	}

}
