package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.IntStream;

import io.redelay.queue.DeathReason;
import io.redelay.queue.ExpiryAction;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.engine.ExpiredMessages;
import io.redelay.queue.admin.engine.ExpirySweeper;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.FailedAttemptCodec;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.scheduling.Scheduler;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.client.codec.StringCodec;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for messages that no lane claims before their time to live is over.
 */
class ExpiryIntegrationTests {

	private static final Duration SHORT = Duration.ofMillis(1);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	private final ListenerApplication application = ListenerApplication.on(redis).start();

	private final QueueAdmin admin = this.application.bean(QueueAdmin.class);

	@AfterEach
	void close() {
		this.application.close();
	}

	@Test
	void countingBuriesThem() {
		send(OutboundMessage.to(this.queue, "late").id("late").timeToLive(SHORT));
		send(OutboundMessage.to(this.queue, "in time").timeToLive(Duration.ofHours(1)));
		send(OutboundMessage.to(this.queue, "for ever"));
		awaitOver();
		QueueInfo info = this.admin.queues().info(this.queue);
		assertThat(info.ready()).isEqualTo(2);
		assertThat(info.dead()).isOne();
		assertThat(this.admin.messages().find(this.queue, "late")).get().satisfies((dead) -> {
			assertThat(dead.state()).isEqualTo(MessageState.DEAD);
			assertThat(dead.death().reason()).isEqualTo(DeathReason.EXPIRED);
			assertThat(dead.death().message()).contains("PT0.001S").contains("after it was due");
			assertThat(dead.payloadAsText()).isEqualTo("late");
		});
	}

	@Test
	void browsingDropsThoseThatAreToBeDropped() {
		send(OutboundMessage.to(this.queue, "late").id("late").timeToLive(SHORT, ExpiryAction.DROP));
		send(OutboundMessage.to(this.queue, "for ever"));
		awaitOver();
		assertThat(this.admin.messages().browse(this.queue, MessageState.READY, 0, 10).messages())
			.extracting(QueuedMessage::payloadAsText)
			.containsExactly("for ever");
		assertThat(this.state.messages()).hasSize(1);
		assertThat(this.state.ready()).isOne();
		assertThat(this.admin.messages().find(this.queue, "late")).isEmpty();
		send(OutboundMessage.to(this.queue, "again").id("late"));
		assertThat(this.admin.queues().info(this.queue).ready()).isEqualTo(2);
	}

	@Test
	void theTimeCountsFromWhenItWasDue() {
		send(OutboundMessage.to(this.queue, "later").id("later").delay(Duration.ofHours(1)).timeToLive(SHORT));
		send(OutboundMessage.to(this.queue, "put off").id("put off").timeToLive(Duration.ofSeconds(3)));
		this.admin.messages().reschedule(this.queue, "put off", Duration.ofHours(1));
		Instant sent = QueueState.now(redis);
		Awaitility.await().until(() -> QueueState.now(redis).isAfter(sent.plusSeconds(3)));
		assertThat(this.admin.queues().info(this.queue).scheduled()).isEqualTo(2);
		this.admin.messages().reschedule(this.queue, "later", Duration.ZERO);
		awaitOver();
		assertThat(this.admin.deadLetters().counts(this.queue)).singleElement()
			.satisfies((count) -> assertThat(count.reason()).isEqualTo(DeathReason.EXPIRED));
		assertThat(this.admin.queues().info(this.queue).scheduled()).isOne();
	}

	@Test
	void manyExpireAtOnce() {
		this.application.queues()
			.sendAll(IntStream.range(0, 1_700)
				.mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i).timeToLive(SHORT))
				.toList());
		awaitOver();
		QueueInfo info = this.admin.queues().info(this.queue);
		assertThat(info.ready()).isZero();
		assertThat(info.dead()).isEqualTo(1_700);
		assertThat(this.state.ready()).isZero();
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void aQueueThatCannotBeLookedAtKeepsNoOtherWaiting(CapturedLog log) {
		String broken = "a-" + this.queue;
		redis.client().<String>getSet("redelay:expiring", StringCodec.INSTANCE).add(broken);
		redis.client().getBucket("redelay:{" + broken + "}:expiries", StringCodec.INSTANCE).set("no sorted set");
		try {
			anotherInstanceExpiresMessagesOfQueuesWithoutListeners();
			assertThat(log.entriesWith("WARN", "'" + broken + "'", "which is tried again")).hasSize(1);
		}
		finally {
			redis.client().<String>getSet("redelay:expiring", StringCodec.INSTANCE).remove(broken);
		}
	}

	@Test
	void anotherInstanceExpiresMessagesOfQueuesWithoutListeners() {
		send(OutboundMessage.to(this.queue, "late").timeToLive(SHORT));
		ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
		try {
			AdminScripts store = new AdminScripts(redis.client(), "redelay", Duration.ofSeconds(10), timer,
					ReplayMemory.NONE, new RedisAvailability(timer));
			ExpiredMessages expired = new ExpiredMessages(store, new EnvelopeCodec(),
					new FailedAttemptCodec(JsonMapper.shared()), "another");
			try (ExpirySweeper sweeper = new ExpirySweeper(store, expired, Scheduler.of(timer, timer),
					Duration.ofMillis(20))) {
				sweeper.start();
				assertThat(this.state.awaitDead().reason()).isEqualTo("EXPIRED");
			}
		}
		finally {
			timer.shutdownNow();
		}
	}

	@Test
	void whatIsHandledInTimeLeavesNothing() {
		Handler handler = new Handler();
		try (ListenerApplication listening = ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.start()) {
			send(OutboundMessage.to(this.queue, "a").timeToLive(Duration.ofHours(1)));
			this.state.awaitDrained();
		}
		assertThat(redis.client().getKeys().countExists("redelay:{" + this.queue + "}:expiries")).isZero();
	}

	private void send(OutboundMessage message) {
		this.application.queues().send(message);
	}

	/**
	 * Waits until the shortest time to live is over.
	 */
	private static void awaitOver() {
		Instant now = QueueState.now(redis);
		Awaitility.await()
			.pollInterval(Duration.ofMillis(5))
			.until(() -> QueueState.now(redis).isAfter(now.plusMillis(5)));
	}

	static class Handler {

		@QueueListener(queues = "${queue}")
		void handle(List<String> texts) {
		}

	}

}
