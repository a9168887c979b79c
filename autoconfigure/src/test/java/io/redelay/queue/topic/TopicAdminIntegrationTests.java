package io.redelay.queue.topic;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueException;
import io.redelay.queue.QueueFullException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueuedMessage;
import io.redelay.queue.admin.TopicGroupInfo;
import io.redelay.queue.admin.TopicInfo;
import io.redelay.queue.admin.UnknownQueueException;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.send.PreparedMessage;
import io.redelay.queue.send.QueueTemplate;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.api.options.KeysScanOptions;
import org.redisson.api.stream.StreamMessageId;
import org.redisson.api.stream.StreamRangeArgs;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of what {@link QueueAdmin} shows of topics, and of giving a group once more what
 * was published.
 */
class TopicAdminIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final String KEPT = "kept-" + UUID.randomUUID();

	private static final String HELD = "held-" + UUID.randomUUID();

	private static final String RELAYED = "relayed-" + UUID.randomUUID();

	private static final String COUNTED = "counted-" + UUID.randomUUID();

	private static final String WEIGHED = "weighed-" + UUID.randomUUID();

	private static final String AGED = "aged-" + UUID.randomUUID();

	private static ListenerApplication application;

	private final String topic = "t-" + UUID.randomUUID();

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis)
			.with("redelay.queue.topics." + KEPT + ".retention.max-age", "1h")
			.with("redelay.queue.topics." + HELD + ".retention.max-age", "1h")
			.with("redelay.queue.topics." + RELAYED + ".retention.max-age", "1h")
			.with("redelay.queue.topics." + COUNTED + ".retention.max-count", "3")
			.with("redelay.queue.topics." + WEIGHED + ".retention.max-bytes", "4KB")
			.with("redelay.queue.topics." + AGED + ".retention.max-age", "200ms")
			.with("redelay.queue.queues[" + COUNTED + "@small].max-length", "2")
			.start();
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void listsTopicsWithTheGroupsThatWaitAndThoseThatAreActive() {
		Listening listening = new Listening();
		try (ListenerApplication consumer = ListenerApplication.on(redis)
			.with("topic", this.topic)
			.with("redelay.queue.topics." + this.topic + ".group-expiry", "1d")
			.bean(listening)
			.start()) {
			subscribe(this.topic, "idle");
			queues().publish(this.topic, "one");
			assertThat(admin().topics().names()).contains(this.topic);
			Awaitility.await().until(() -> group("busy").state() == TopicGroupInfo.State.ACTIVE);
			TopicInfo info = admin().topics().info(this.topic);
			assertThat(info.retains()).isFalse();
			assertThat(info.groups()).extracting(TopicGroupInfo::name).containsExactly("busy", "idle");
			assertThat(group("busy").consumers()).isOne();
			assertThat(group("busy").expiry()).isEqualTo(Duration.ofDays(1));
			assertThat(group("idle").state()).isEqualTo(TopicGroupInfo.State.WAITING);
			assertThat(group("idle").expiry()).isZero();
			assertThat(group("idle").info().ready()).isOne();
			assertThat(group("idle").queue()).isEqualTo(this.topic + "@idle");
			assertThatExceptionOfType(QueueException.class)
				.isThrownBy(() -> admin().topics().removeGroup(this.topic, "busy"))
				.withMessageContaining("has a consumer");
		}
	}

	@Test
	void aGroupThatIsRemovedGetsNothingAndLeavesNothing() {
		subscribe(this.topic, "gone", "stays");
		queues().publish(OutboundMessage.to(this.topic, "keyed").id("id").orderingKey("k"));
		queues().publish(OutboundMessage.to(this.topic, "later").delay(Duration.ofHours(1)));
		assertThatExceptionOfType(QueueException.class)
			.isThrownBy(() -> admin().control().deleteWithMessages(this.topic + "@gone"))
			.withMessageContaining("removeGroup");
		assertThat(admin().topics().removeGroup(this.topic, "gone")).isEqualTo(2);
		assertThat(redis.client()
			.getKeys()
			.getKeysStream(KeysScanOptions.defaults().pattern("redelay:{" + this.topic + "}@gone:*")))
			.allMatch((key) -> key.endsWith(":past"));
		assertThat(queues().publish(this.topic, "more").groups()).containsOnlyKeys("stays");
		assertThat(admin().queues().names()).doesNotContain(this.topic + "@gone").contains(this.topic + "@stays");
		assertThatExceptionOfType(UnknownQueueException.class)
			.isThrownBy(() -> admin().topics().removeGroup(this.topic, "gone"))
			.withMessageContaining("stays");
		admin().topics().delete(this.topic);
		assertThat(admin().topics().names()).doesNotContain(this.topic);
		assertThatExceptionOfType(UnknownQueueException.class).isThrownBy(() -> admin().topics().info(this.topic));
		assertThat(queues().publish(this.topic, "to a new topic").groups()).isEmpty();
		assertThat(admin().topics().names()).contains(this.topic);
	}

	@Test
	void theQueuesOfATopicThatIsDeletedAreUnknown() {
		subscribe(this.topic, "one", "two");
		queues().publish(this.topic, "message");
		List<String> queues = List.of(this.topic + "@one", this.topic + "@two");
		assertThat(queues).allSatisfy((queue) -> assertThat(admin().queues().info(queue).ready()).isOne());
		admin().topics().delete(this.topic);
		assertThat(queues).allSatisfy((queue) -> assertThatExceptionOfType(UnknownQueueException.class)
			.isThrownBy(() -> admin().queues().info(queue)));
	}

	@Test
	void aGroupIsGivenWhatWasPublishedSinceATime() {
		queues().publish(KEPT, "too early");
		Awaitility.await().until(() -> now().isAfter(lastEntry(KEPT)));
		Instant since = now();
		String id = queues().publish(KEPT, "one").id();
		queues().publish(OutboundMessage.to(KEPT, "two").id("own id").orderingKey("k").header("shop", "north"));
		queues().publish(OutboundMessage.to(KEPT, "later").delay(Duration.ofHours(1)));
		queues().publish(OutboundMessage.to(KEPT, "short").timeToLive(Duration.ofMillis(1)));
		for (int i = 0; i < 600; i++) {
			queues().publishAsync(OutboundMessage.to(KEPT, "many" + i));
		}
		queues().publish(KEPT, "last");
		subscribe(KEPT, "fresh");
		Awaitility.await().until(() -> now().isAfter(lastEntry(KEPT)));
		assertThat(admin().topics().info(KEPT).retains()).isTrue();
		assertThat(admin().topics().replay(KEPT, "fresh", since)).isEqualTo(604);
		String queue = KEPT + "@fresh";
		assertThat(admin().queues().info(queue).ready()).isEqualTo(603);
		assertThat(admin().queues().info(queue).scheduled()).isOne();
		QueuedMessage one = admin().messages().find(queue, id).orElseThrow();
		assertThat(one.state()).isEqualTo(MessageState.READY);
		QueuedMessage two = admin().messages().find(queue, "own id").orElseThrow();
		assertThat(two.id()).isEqualTo("own id");
		// Once more: what it has under an id is not added again.
		assertThat(admin().topics().replay(KEPT, "fresh", since)).isEqualTo(604);
		assertThat(admin().queues().info(queue).ready()).isEqualTo(603);
		assertThatExceptionOfType(UnknownQueueException.class)
			.isThrownBy(() -> admin().topics().replay(KEPT, "other", since));
	}

	@Test
	void whatTheGroupStillHasIsNotGivenAgain() {
		subscribe(HELD, "group");
		for (int i = 0; i < 5; i++) {
			queues().publish(HELD, "m" + i);
		}
		assertThat(admin().topics().replay(HELD, "group", Instant.EPOCH)).isZero();
		String cancelled = queues().publish(HELD, "cancelled").id();
		admin().messages().cancel(HELD + "@group", cancelled);
		assertThat(admin().topics().replay(HELD, "group", Instant.EPOCH)).isOne();
		assertThat(admin().queues().info(HELD + "@group").ready()).isEqualTo(6);
	}

	@Test
	void whatAnOutboxPublishesIsKeptToo() {
		QueueTemplate template = application.bean(QueueTemplate.class);
		List<NewMessage> messages = template.deferPublished(List.of(OutboundMessage.to(RELAYED, "from an outbox")))
			.stream()
			.map(PreparedMessage::entry)
			.toList();
		template.deferredSends(Duration.ofMinutes(1)).publish(RELAYED, messages);
		subscribe(RELAYED, "group");
		assertThat(admin().topics().replay(RELAYED, "group", Instant.EPOCH)).isOne();
	}

	@Test
	void asManyAreKeptAsTheLimitSays() {
		for (int i = 0; i < 10; i++) {
			queues().publish(COUNTED, "m" + i);
		}
		subscribe(COUNTED, "all", "small");
		assertThat(admin().topics().replay(COUNTED, "all", Instant.EPOCH)).isEqualTo(3);
		assertThat(payloads(COUNTED + "@all")).containsExactlyInAnyOrder("m7", "m8", "m9");
		assertThatExceptionOfType(QueueException.class)
			.isThrownBy(() -> admin().topics().replay(COUNTED, "small", Instant.EPOCH))
			.isNotInstanceOf(QueueFullException.class)
			.withMessageContaining("as many messages as it may");
	}

	@Test
	void asManyBytesAreKeptAsTheLimitSays() {
		String kilobyte = "x".repeat(1000);
		for (int i = 0; i < 10; i++) {
			queues().publish(WEIGHED, kilobyte + i);
		}
		long kept = redis.client().getStream("redelay:{" + WEIGHED + "}@:log", StringCodec.INSTANCE).size();
		assertThat(kept).isEqualTo(3); // of a bit more than a kilobyte each
		queues().publish(WEIGHED, "y".repeat(3800));
		assertThat(redis.client().getStream("redelay:{" + WEIGHED + "}@:log", StringCodec.INSTANCE).size()).isOne();
	}

	@Test
	void whatIsTooOldIsKeptNoLonger() {
		queues().publish(AGED, "old");
		Instant published = lastEntry(AGED);
		Awaitility.await().until(() -> now().isAfter(published.plusMillis(250)));
		queues().publish(AGED, "young");
		subscribe(AGED, "all");
		admin().topics().replay(AGED, "all", Instant.EPOCH);
		assertThat(payloads(AGED + "@all")).doesNotContain("old");
		Awaitility.await().until(() -> !redis.client().getBucket("redelay:{" + AGED + "}@:log").isExists());
	}

	@Test
	void withoutRetentionNothingCanBeGivenAgain() {
		subscribe(this.topic, "group");
		queues().publish(this.topic, "one");
		assertThat(redis.client().getBucket("redelay:{" + this.topic + "}@:log").isExists()).isFalse();
		assertThatExceptionOfType(QueueException.class)
			.isThrownBy(() -> admin().topics().replay(this.topic, "group", Instant.EPOCH))
			.withMessageContaining("redelay.queue.topics." + this.topic + ".retention");
	}

	@Test
	void anotherApplicationKeepsWhatThisOneIsConfiguredToKeep() {
		try (ListenerApplication other = ListenerApplication.on(redis).start()) {
			other.queues().publish(KEPT, "the groups are learned of");
			queues().publish(KEPT, "here");
			long before = redis.client().getStream("redelay:{" + KEPT + "}@:log", StringCodec.INSTANCE).size();
			other.queues().publish(KEPT, "there");
			assertThat(redis.client().getStream("redelay:{" + KEPT + "}@:log", StringCodec.INSTANCE).size())
				.isEqualTo(before + 1);
		}
	}

	private TopicGroupInfo group(String name) {
		return admin().topics()
			.info(this.topic)
			.groups()
			.stream()
			.filter((group) -> group.name().equals(name))
			.findAny()
			.orElseThrow();
	}

	private static Set<String> payloads(String queue) {
		return admin().messages()
			.browse(queue, MessageState.READY, 0, 100)
			.messages()
			.stream()
			.map((message) -> new String(message.payload(), StandardCharsets.UTF_8).replace("\"", ""))
			.collect(Collectors.toSet());
	}

	private static Instant now() {
		return QueueState.now(redis);
	}

	private static Instant lastEntry(String topic) {
		Map<StreamMessageId, Map<String, String>> last = redis.client()
			.<String, String>getStream("redelay:{" + topic + "}@:log", StringCodec.INSTANCE)
			.rangeReversed(StreamRangeArgs.startId(StreamMessageId.MAX).endId(StreamMessageId.MIN).count(1));
		return Instant.ofEpochMilli(last.keySet().iterator().next().getId0()).plusMillis(1);
	}

	private static void subscribe(String topic, String... groups) {
		for (String group : groups) {
			application.bean(QueueScripts.class)
				.topics()
				.subscribe()
				.run(topic, group, Duration.ZERO, DeclaredFilter.NONE)
				.join();
		}
	}

	private static QueueOperations queues() {
		return application.queues();
	}

	private static QueueAdmin admin() {
		return application.bean(QueueAdmin.class);
	}

	static class Listening {

		final List<String> heard = new CopyOnWriteArrayList<>();

		@QueueListener(topic = "${topic}", group = "busy")
		void hear(String text) {
			this.heard.add(text);
		}

	}

}
