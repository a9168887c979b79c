package io.redelay.queue.admin;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.SendResult;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.message.TopicRetention;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.TopicScripts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.ColdChunks;
import io.redelay.queue.script.admin.ColdScript;
import io.redelay.queue.script.admin.ColdTier;
import io.redelay.queue.script.admin.FarScript;
import io.redelay.queue.script.admin.TrimDeadScript;
import io.redelay.test.ListenerApplication;
import io.redelay.test.MemoryColdChunks;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for administration while Redis refuses whatever takes memory: that is when people
 * want to remove messages.
 */
class FullRedisIntegrationTests {

	private static final String TOPIC = "news";

	private final String queue = TestRedis.queue();

	private final String dead = TestRedis.queue();

	private RedisServer server;

	private RedissonClient client;

	private ListenerApplication application;

	private QueueAdmin admin;

	@BeforeEach
	void start() {
		this.server = RedisServer.start();
		this.client = TestRedis.connect(this.server.uri());
		this.application = ListenerApplication.on(this.client).bean(new Undertaker()).with("dead", this.dead).start();
		this.admin = this.application.bean(QueueAdmin.class);
	}

	@AfterEach
	void stop() {
		this.application.close();
		this.client.shutdown();
		this.server.close();
	}

	@Test
	void messagesAreCancelled() {
		List<SendResult> sent = send(3);
		SendResult later = this.application.queues().send(this.queue, "later", Duration.ofHours(1));
		fill();
		assertThat(this.admin.messages().cancel(this.queue, sent.get(0).id()).done()).isTrue();
		assertThat(this.admin.messages().cancelAll(this.queue, List.of(sent.get(1).id(), later.id())))
			.allMatch(CommandOutcome::done);
		assertThat(this.admin.queues().info(this.queue).ready()).isOne();
		assertThat(this.admin.queues().info(this.queue).scheduled()).isZero();
	}

	@Test
	void whatWaitsIsPurgedAndRescheduled() {
		List<SendResult> sent = send(3);
		this.application.queues().send(this.queue, "later", Duration.ofHours(1));
		fill();
		assertThat(this.admin.messages().runNow(this.queue, sent.get(2).id()).done()).isTrue();
		assertThat(this.admin.messages().reschedule(this.queue, sent.get(0).id(), Duration.ofHours(1)).done()).isTrue();
		assertThat(this.admin.control().purge(this.queue, MessageState.READY)).isEqualTo(2);
		assertThat(this.admin.control().purge(this.queue, MessageState.SCHEDULED)).isEqualTo(2);
	}

	@Test
	void farMessagesAreMovedAndRemoved() {
		this.application.queues()
			.sendAll(IntStream.range(0, 40)
				.mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i).id("m" + i).delay(Duration.ofDays(9)))
				.toList());
		FarScript far = this.application.bean(AdminScripts.class).far();
		assertThat(far.pack(this.queue, far.look(this.queue, null, Duration.ofDays(1)).join().messages(), Duration.ZERO)
			.join()).isEqualTo(40);
		fill();
		FarScript.Chunk chunk = far.chunks(this.queue, true, 1, null, null).join().chunks().get(0);
		assertThat(far.thaw(this.queue, chunk).join()).isEqualTo(FarScript.Thawed.NEAR);
		assertThat(this.admin.messages().find(this.queue, "m7")).get()
			.extracting(QueuedMessage::payloadAsText)
			.isEqualTo("m7");
		assertThat(far.pack(this.queue, far.look(this.queue, null, Duration.ofDays(1)).join().messages(), Duration.ZERO)
			.join()).isEqualTo(40);
		assertThat(this.admin.messages().cancel(this.queue, "m7").done()).isTrue();
		assertThat(this.admin.messages().runNow(this.queue, "m8").done()).isTrue();
		assertThat(this.admin.control().purge(this.queue, MessageState.SCHEDULED)).isEqualTo(38);
	}

	@Test
	void theContentOfFarMessagesLeavesForADatabaseAndComesNearFromThere() {
		this.application.queues()
			.sendAll(IntStream.range(0, 40)
				.mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i).id("m" + i).delay(Duration.ofDays(9)))
				.toList());
		AdminScripts store = this.application.bean(AdminScripts.class);
		MemoryColdChunks database = new MemoryColdChunks(() -> 1);
		store.coldTier().use(database);
		FarScript far = store.far();
		assertThat(far.pack(this.queue, far.look(this.queue, null, Duration.ofDays(1)).join().messages(), Duration.ZERO)
			.join()).isEqualTo(40);
		FarScript.Chunk chunk = far.chunks(this.queue, true, 1, null, null).join().chunks().get(0);
		List<ColdChunks.Saved> saved = List.of(new ColdChunks.Saved("redis", ColdTier.key(this.queue, chunk),
				chunk.dueMillis(), chunk.latestMillis(), chunk.left(), chunk.packed()));
		database.save(saved).join();
		fill();
		ColdScript cold = new ColdScript(store.runner());
		assertThat(cold.chill(this.queue, saved).join()).isOne();
		assertThat(cold.chill(this.queue, saved).join()).isZero();
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> cold.warm(this.queue, saved).join());
		assertThat(cold.named(this.queue, List.of(chunk.number(), "99")).join())
			.containsExactly(saved.get(0).key().sha1(), "");
		assertThat(this.admin.messages().runNow(this.queue, "m8").done()).isTrue();
		assertThat(this.admin.control().purge(this.queue, MessageState.SCHEDULED)).isEqualTo(39);
	}

	@Test
	void aPurgeThatFindsNothingIsNoFailure() {
		send(1);
		fill();
		assertThat(this.admin.control().purge(this.queue, MessageState.SCHEDULED)).isZero();
		assertThat(this.admin.control().purge(this.queue, MessageState.DEAD)).isZero();
		assertThat(this.admin.control().purge(this.queue, MessageState.READY)).isOne();
		assertThat(this.admin.control().purge(this.queue, MessageState.READY)).isZero();
	}

	@Test
	void aTrimThatFindsNothingIsNoFailure() {
		send(1);
		fill();
		AdminScripts store = this.application.bean(AdminScripts.class);
		String lane = store.steer().openLane(this.queue).join();
		assertThat(new TrimDeadScript(store).run(this.queue, lane, 1, 10, Duration.ofDays(1), Long.MAX_VALUE)
			.join()
			.trimmed()).isEmpty();
	}

	@Test
	void deadMessagesAreTrimmedCancelledPurgedAndRedriven() {
		for (int i = 0; i < 6; i++) {
			this.application.queues().send(OutboundMessage.to(this.dead, "m" + i).id("m" + i));
		}
		Awaitility.await().untilAsserted(() -> assertThat(this.admin.queues().info(this.dead).dead()).isEqualTo(6));
		fill();
		this.application.close();
		// It trims when it starts.
		this.application = ListenerApplication.on(this.client)
			.bean(new Undertaker())
			.with("dead", this.dead)
			.with("redelay.queue.dead-letters.max-count", 4)
			.start();
		this.admin = this.application.bean(QueueAdmin.class);
		Awaitility.await().untilAsserted(() -> assertThat(this.admin.queues().info(this.dead).dead()).isEqualTo(4));
		this.admin.control().pause(this.dead);
		assertThat(this.admin.messages().cancel(this.dead, "m5").done()).isTrue();
		this.admin.deadLetters().redrive(this.dead, "m4");
		assertThat(this.admin.queues().info(this.dead).ready()).isOne();
		assertThat(this.admin.control().purge(this.dead, MessageState.DEAD)).isEqualTo(2);
		this.admin.control().resume(this.dead);
	}

	@Test
	void aQueueIsClosedAndDeleted() {
		send(2);
		fill();
		this.admin.control().close(this.queue);
		this.admin.control().reopen(this.queue);
		this.admin.control().deleteWithMessages(this.queue);
		assertThat(this.admin.queues().names()).doesNotContain(this.queue);
	}

	@Test
	void whatIsPublishedReachesNoGroupAndOneIsRegisteredAndAnotherRemoved() {
		TopicScripts topics = this.application.bean(QueueScripts.class).topics();
		topics.topic().keep(TOPIC, new TopicRetention(Duration.ofHours(1), 0, 0)).join();
		topics.subscribe().run(TOPIC, "a", Duration.ZERO, DeclaredFilter.NONE).join();
		topics.subscribe().run(TOPIC, "b", Duration.ZERO, DeclaredFilter.NONE).join();
		this.application.queues().publish(TOPIC, "one");
		fill();
		assertThatExceptionOfType(MessageSendException.class)
			.isThrownBy(() -> this.application.queues().publish(OutboundMessage.to(TOPIC, "two").id("id")));
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> this.admin.topics().replay(TOPIC, "a", Instant.EPOCH));
		assertThat(this.admin.queues().info(TOPIC + "@a").ready()).isOne();
		assertThat(this.admin.queues().info(TOPIC + "@b").ready()).isOne();
		try (ListenerApplication consumer = ListenerApplication.on(this.client)
			.bean(new Subscriber())
			.with("topic", TOPIC)
			.with("redelay.queue.topics." + TOPIC + ".retention.max-count", 10)
			.start()) {
			assertThat(groups()).containsExactly("a", "b", "late");
			assertThat(this.admin.topics().removeGroup(TOPIC, "b")).isOne();
			assertThat(groups()).containsExactly("a", "late");
		}
	}

	private List<String> groups() {
		return this.admin.topics().info(TOPIC).groups().stream().map(TopicGroupInfo::name).toList();
	}

	private List<SendResult> send(int count) {
		return IntStream.range(0, count).mapToObj((i) -> this.application.queues().send(this.queue, "m" + i)).toList();
	}

	private void fill() {
		this.server.command("CONFIG", "SET", "maxmemory", "1");
		assertThatExceptionOfType(MessageSendException.class)
			.isThrownBy(() -> this.application.queues().send(this.queue, "one too many"));
	}

	static class Undertaker {

		@QueueListener(queues = "${dead}")
		void handle(String text) {
			throw new RejectMessageException("no");
		}

	}

	static class Subscriber {

		@QueueListener(topic = "${topic}", group = "late")
		void handle(String text) {
			// nothing comes
		}

	}

}
