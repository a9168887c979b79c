package io.redelay.queue.topic;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.Deduplication;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.PublishResult;
import io.redelay.queue.QueueClosedException;
import io.redelay.queue.QueueFullException;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.SendOutcome;
import io.redelay.queue.SendResult;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.RequestBatcher;
import io.redelay.queue.script.PublishScript;
import io.redelay.queue.script.QueueScripts;
import io.redelay.queue.script.TopicScripts;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.ListenerApplication;
import io.redelay.test.NoTransactionManager;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests of what reaches the groups of a topic, and what does not.
 */
class PublishIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final String LIMITED = "limited-" + UUID.randomUUID();

	private static final String LONG = "long-" + UUID.randomUUID();

	private static ListenerApplication application;

	private final String topic = "t-" + UUID.randomUUID();

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis)
			.with("redelay.queue.queues[" + LIMITED + "@small].max-length", "2")
			.with("redelay.queue.queues[" + LIMITED + "@dropping].max-length", "2")
			.with("redelay.queue.queues[" + LIMITED + "@dropping].overflow", "drop-oldest")
			.with("redelay.queue.queues[" + LONG + "@dropping].max-length", "2")
			.with("redelay.queue.queues[" + LONG + "@dropping].overflow", "drop-oldest")
			.start();
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void eachGroupGetsItsOwnCopy() {
		subscribe("billing", "shipping");
		PublishResult result = queues().publish(this.topic, "hello");
		assertThat(result.topic()).isEqualTo(this.topic);
		assertThat(result.groups().keySet()).containsExactly("billing", "shipping");
		assertThat(result.groups().get("billing").queue()).isEqualTo(this.topic + "@billing");
		for (String group : List.of("billing", "shipping")) {
			assertThat(texts(group)).containsExactly("hello");
			assertThat(admin().messages().find(this.topic + "@" + group, result.id()).orElseThrow().state())
				.isEqualTo(MessageState.READY);
		}
	}

	@Test
	void aGroupGetsWhatIsPublishedOnceItIsRegistered() {
		assertThat(queues().publish(this.topic, "to nobody").groups()).isEmpty();
		subscribe("first");
		queues().publish(this.topic, "one");
		subscribe("second");
		queues().publish(this.topic, "two");
		assertThat(texts("first")).containsExactlyInAnyOrder("one", "two");
		assertThat(texts("second")).containsExactly("two");
	}

	@Test
	void aQueueOfTheSameNameIsAnotherThing() {
		subscribe("group");
		queues().publish(this.topic, "published");
		queues().send(this.topic, "sent");
		assertThat(texts("group")).containsExactly("published");
		assertThat(QueueState.of(redis, this.topic).messages().values())
			.extracting((json) -> json.get("payload").asString())
			.containsExactly("sent");
	}

	@Test
	void whatASendCanDoAPublishCan() {
		subscribe("a", "b");
		queues().publish(OutboundMessage.to(this.topic, "first").id("same"));
		PublishResult twin = queues().publish(OutboundMessage.to(this.topic, "twin").id("same"));
		assertThat(twin.groups().values()).extracting(SendResult::outcome)
			.containsExactly(SendOutcome.DUPLICATE, SendOutcome.DUPLICATE);
		admin().messages().cancel(this.topic + "@b", "same");
		assertThat(queues().publish(OutboundMessage.to(this.topic, "again").id("same")).groups().values())
			.extracting(SendResult::outcome)
			.containsExactly(SendOutcome.DUPLICATE, SendOutcome.ADDED);
		queues().publish(OutboundMessage.to(this.topic, "later").delay(Duration.ofHours(1)));
		queues().publish(OutboundMessage.to(this.topic, "keyed").orderingKey("k").priority(9));
		queues().publish(OutboundMessage.to(this.topic, "perishable").timeToLive(Duration.ofHours(1)));
		Deduplication key = Deduplication.firstWins("d", Duration.ofMinutes(1));
		queues().publish(OutboundMessage.to(this.topic, "d1").deduplicate(key));
		assertThat(queues().publish(OutboundMessage.to(this.topic, "d2").deduplicate(key)).groups().values())
			.extracting(SendResult::outcome)
			.containsOnly(SendOutcome.DUPLICATE);
		assertThat(texts("a")).containsExactlyInAnyOrder("first", "later", "keyed", "perishable", "d1");
		assertThat(texts("b")).containsExactlyInAnyOrder("again", "later", "keyed", "perishable", "d1");
		assertThat(admin().queues().info(this.topic + "@b").scheduled()).isOne();
	}

	@Test
	void aGroupThatIsClosedRefusesForAll() {
		subscribe("open", "closed");
		admin().control().close(this.topic + "@closed");
		assertThatExceptionOfType(QueueClosedException.class).isThrownBy(() -> queues().publish(this.topic, "no"))
			.withMessageContaining(this.topic)
			.withMessageContaining("'closed'");
		assertThat(texts("open")).isEmpty();
		admin().control().reopen(this.topic + "@closed");
		queues().publish(this.topic, "yes");
		assertThat(texts("open")).containsExactly("yes");
	}

	@Test
	void aGroupThatIsFullRefusesForAllUnlessItDrops() {
		TopicScripts topics = application.bean(QueueScripts.class).topics();
		topics.subscribe().run(LIMITED, "dropping", Duration.ZERO, DeclaredFilter.NONE).join();
		queues().publish(LIMITED, "1");
		queues().publish(LIMITED, "2");
		queues().publish(LIMITED, "3");
		assertThat(texts(LIMITED, "dropping")).containsExactlyInAnyOrder("2", "3");
		topics.subscribe().run(LIMITED, "small", Duration.ZERO, DeclaredFilter.NONE).join();
		topics.subscribe().run(LIMITED, "unlimited", Duration.ZERO, DeclaredFilter.NONE).join();
		queues().publish(LIMITED, "4");
		queues().publish(LIMITED, "5");
		assertThatExceptionOfType(QueueFullException.class).isThrownBy(() -> queues().publish(LIMITED, "6"))
			.withMessageContaining("'small'")
			.withMessageContaining("[" + LIMITED + "@small].max-length");
		assertThat(texts(LIMITED, "dropping")).containsExactlyInAnyOrder("4", "5");
		assertThat(texts(LIMITED, "unlimited")).containsExactlyInAnyOrder("4", "5");
	}

	@Test
	void longPayloadsReachGroupsWithAndWithoutALimit() {
		TopicScripts topics = application.bean(QueueScripts.class).topics();
		topics.subscribe().run(LONG, "dropping", Duration.ZERO, DeclaredFilter.NONE).join();
		topics.subscribe().run(LONG, "unlimited", Duration.ZERO, DeclaredFilter.NONE).join();
		List<String> payloads = Stream.of("1", "2", "3").map((text) -> text.repeat(600)).toList();
		payloads.forEach((payload) -> queues().publish(LONG, payload));
		assertThat(texts(LONG, "dropping")).containsExactlyInAnyOrder(payloads.get(1), payloads.get(2));
		assertThat(texts(LONG, "unlimited")).containsExactlyInAnyOrderElementsOf(payloads);
	}

	@Test
	void whatIsPublishedAtTheSameTimeComesInOrder() {
		subscribe("a", "b", "c");
		List<CompletableFuture<PublishResult>> sent = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			sent.add(queues().publishAsync(OutboundMessage.to(this.topic, "m" + i)));
		}
		sent.forEach(CompletableFuture::join);
		List<String> expected = sent.stream().map((result) -> result.join().id()).toList();
		for (String group : List.of("a", "b", "c")) {
			assertThat(redis.client()
				.<String>getList("redelay:{" + this.topic + "}@" + group + ":ready", StringCodec.INSTANCE)
				.readAll()).isEqualTo(expected);
		}
	}

	@Test
	void publishingToTenGroupsIsOneTripAndOneScript() throws Exception {
		ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
		try (RedisServer server = RedisServer.start()) {
			RedissonClient client = TestRedis.connect(server.uri());
			try {
				TopicScripts topics = TestScripts
					.create(client, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE)
					.topics();
				for (int group = 0; group < 10; group++) {
					topics.subscribe().run(this.topic, "group" + group, Duration.ZERO, DeclaredFilter.NONE).join();
				}
				RequestBatcher<NewMessage, PublishScript.Result> batcher = new RequestBatcher<>(topics.publish()
					.protocol(this.topic, 100, (group) -> null, null,
							(name) -> CompletableFuture.completedFuture(null)),
						ReplayMemory.NONE);
				batcher.submit(List.of(message(0)), true).join();
				long before = scripts(server);
				assertThat(before).isPositive();
				PublishScript.Result reply = batcher.submit(List.of(message(1)), true).join();
				assertThat(scripts(server) - before).isOne();
				assertThat(reply.groups()).hasSize(10);
				for (int group = 0; group < 10; group++) {
					assertThat(client.getList("redelay:{" + this.topic + "}@group" + group + ":ready").size())
						.isEqualTo(2);
				}
			}
			finally {
				client.shutdown();
			}
		}
		finally {
			timer.shutdownNow();
		}
	}

	private static NewMessage message(int number) {
		return new NewMessage("uid" + number, null, null, null, "{\"v\":1}".getBytes(StandardCharsets.UTF_8));
	}

	@Test
	void aPublishInATransactionWaitsForTheCommit() {
		subscribe("group");
		TransactionTemplate transaction = new TransactionTemplate(new NoTransactionManager());
		CompletableFuture<PublishResult> later = transaction.execute((status) -> {
			PublishResult estimate = queues().publish(this.topic, "committed");
			assertThat(estimate.groups()).isEmpty();
			CompletableFuture<PublishResult> result = queues()
				.publishAsync(OutboundMessage.to(this.topic, "committed, too"));
			assertThat(texts("group")).isEmpty();
			return result;
		});
		assertThat(texts("group")).containsExactlyInAnyOrder("committed", "committed, too");
		assertThat(later.join().groups()).containsOnlyKeys("group");
		transaction.executeWithoutResult((status) -> {
			queues().publish(this.topic, "rolled back");
			status.setRollbackOnly();
		});
		assertThat(texts("group")).hasSize(2);
	}

	@Test
	void aNameThatNoTopicHasIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> queues().publish("a@b", "payload"))
			.withMessageContaining("'topic'")
			.withMessageContaining("a@b");
	}

	private void subscribe(String... groups) {
		for (String group : groups) {
			application.bean(QueueScripts.class)
				.topics()
				.subscribe()
				.run(this.topic, group, Duration.ZERO, DeclaredFilter.NONE)
				.join();
		}
	}

	private List<String> texts(String group) {
		return texts(this.topic, group);
	}

	private static List<String> texts(String topic, String group) {
		Map<String, String> raw = redis.client()
			.<String, String>getMap("redelay:{" + topic + "}@" + group + ":messages", StringCodec.INSTANCE)
			.readAllMap();
		return new TreeMap<>(raw).values()
			.stream()
			.map((envelope) -> JsonMapper.shared().readTree(envelope).get("payload").asString())
			.toList();
	}

	/**
	 * How many scripts Redis has run.
	 */
	private static long scripts(RedisServer server) {
		return Pattern.compile("cmdstat_eval(?:sha)?:calls=(\\d+)")
			.matcher(String.valueOf(server.command("INFO", "commandstats")))
			.results()
			.mapToLong((found) -> Long.parseLong(found.group(1)))
			.sum();
	}

	private static QueueOperations queues() {
		return application.queues();
	}

	private static QueueAdmin admin() {
		return application.bean(QueueAdmin.class);
	}

}
