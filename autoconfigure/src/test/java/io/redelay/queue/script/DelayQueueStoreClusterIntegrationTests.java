package io.redelay.queue.script;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.Deduplication;
import io.redelay.queue.bundle.engine.BundleCancellation;
import io.redelay.queue.bundle.engine.BundleEnds;
import io.redelay.queue.message.BundleMembership;
import io.redelay.queue.message.Completion;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.message.EnvelopeCodec;
import io.redelay.queue.message.HandledMember;
import io.redelay.queue.message.LengthLimit;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.NextMessage;
import io.redelay.queue.message.OutboxNote;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.TopicRetention;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.RequestBatcher;
import io.redelay.queue.request.SendReply;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.BundleCommand;
import io.redelay.queue.script.admin.BundleScripts;
import io.redelay.queue.script.admin.DeleteScript;
import io.redelay.queue.script.admin.QueueNames;
import io.redelay.queue.wire.RedisAvailability;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.TestRedis;
import io.redelay.test.extent.Extent;
import io.redelay.test.redis.RedisCluster;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.redisson.config.ReadMode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the store on a cluster of three masters with a replica each.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DelayQueueStoreClusterIntegrationTests {

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static RedisCluster cluster;

	private static RedissonClient client;

	private static RedissonClient patient;

	@BeforeAll
	static void start() {
		cluster = RedisCluster.builder()
			// Long enough that no node of a busy machine is taken for dead.
			.nodeTimeout(Duration.ofSeconds(20))
			.config("cluster-replica-validity-factor 0")
			.start();
		client = connect(Duration.ofSeconds(1));
		patient = connect(Duration.ofSeconds(10));
	}

	private static RedissonClient connect(Duration timeout) {
		Config config = TestRedis.config();
		config.useClusterServers()
			.addNodeAddress(cluster.nodes().stream().map((node) -> node.uri().toString()).toArray(String[]::new))
			.setScanInterval(500)
			.setTimeout((int) timeout.toMillis())
			.setConnectTimeout((int) timeout.toMillis())
			.setMasterConnectionPoolSize(8)
			.setMasterConnectionMinimumIdleSize(1)
			.setSlaveConnectionPoolSize(8)
			.setSlaveConnectionMinimumIdleSize(1)
			.setSubscriptionConnectionMinimumIdleSize(1)
			.setSubscriptionConnectionPoolSize(2);
		return Redisson.create(config);
	}

	@AfterAll
	static void stop() {
		client.shutdown();
		patient.shutdown();
		cluster.close();
		timer.shutdownNow();
	}

	@Order(1)
	@Test
	void queuesInAllSlotsAreForgottenAndKnownAgain() {
		QueueScripts store = TestScripts.create(patient, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE);
		AdminScripts admin = new AdminScripts(patient, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE,
				new RedisAvailability(timer));
		for (int i = 0; i < 10; i++) {
			TestQueue queue = new TestQueue(store);
			TestSender sender = new TestSender(store, queue.name, 100, null);
			TestQueue.get(sender.send(List.of(queue.message("x"))));
			TestQueue.get(new DeleteScript(admin).run(queue.name, true));
			patient.getKeys().delete(queue.key("past"));
			for (int look = 0; look < 3; look++) {
				TestQueue.get(admin.names().look(queue.name, Duration.ZERO));
			}
			QueueNames.Begun begun = new QueueNames.Begun(queue.name, "test");
			assertThat(TestQueue.get(admin.names().forget(begun, List.of(queue.name), "test"))).isTrue();
			assertThat(TestQueue.get(admin.names().queues())).doesNotContain(queue.name);
			TestQueue.get(sender.send(List.of(queue.message("y"))));
			assertThat(TestQueue.get(admin.names().queues())).contains(queue.name);
			assertThat(TestQueue.get(admin.count().run(queue.name)).messages().ready()).isOne();
		}
	}

	@Order(1)
	@ParameterizedTest
	@MethodSource("seeds")
	void doesWhatTheModelDoes(long seed) {
		System.out.printf("Seed %d: repeat with -Dredelay.test.seed=%d -Dredelay.test.seeds=1%n", seed, seed);
		new ModelRun(patient, timer, seed).run(Integer.getInteger("redelay.test.steps", 500));
	}

	static Stream<Long> seeds() {
		long first = Long.getLong("redelay.test.seed", System.nanoTime());
		return LongStream.range(first, first + Integer.getInteger("redelay.test.seeds", Extent.of(1, 3))).boxed();
	}

	/**
	 * After the runs, which call most scripts, with a client that would read from
	 * replicas.
	 */
	@Test
	@Order(2)
	void noReplicaWasAskedForWhatDecides() {
		assertThat(patient.getConfig().useClusterServers().getReadMode()).isEqualTo(ReadMode.SLAVE);
		assertThat(cluster.masters()).anySatisfy((master) -> assertThat(scriptsOf(master)).isNotEmpty());
		assertThat(cluster.masters())
			.allSatisfy((master) -> assertThat(scriptsOf(cluster.replicaOf(master))).isEmpty());
	}

	@Test
	@Order(2)
	void whatGoesToAnotherSlotWaitsInTheOutbox() {
		QueueScripts store = TestScripts.create(client, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE);
		TestQueue source = new TestQueue(store);
		TestQueue target = new TestQueue(store);
		target.sender();
		source.sender().send(source.messages(2));
		TestQueue.Consumer consumer = source.consumer();
		List<String> uids = consumer.claim(2).messages().stream().map(ClaimReply.Message::uid).toList();
		assertThat(consumer.claim(0, done(uids.get(0), source)).hasNotes()).as("within the slot").isFalse();
		assertThat(consumer.claim(0, done(uids.get(1), target)).hasNotes()).as("to another slot").isTrue();
		assertThat(consumer.claim(2).messages()).extracting(TestQueue::payload).containsExactly("next");
		NextMessage noted = NextMessage
			.read(TestQueue
				.get(new OutboxScript(store.runner()).run(source.name,
						new OutboxScript.Request("one", 1, TestQueue.LEASE, null, null, 1000, List.of())))
				.notes()
				.get(0));
		TestSender relay = new TestSender(store, noted.queue(), 10, null, Duration.ofMinutes(1));
		TestQueue.get(relay.send(List.of(noted.message())));
		TestQueue.get(relay.send(List.of(noted.message())));
		assertThat(target.consumer().claim(2).messages()).extracting(TestQueue::payload).containsExactly("next");
	}

	@Test
	@Order(2)
	void aTopicIsInOneSlotWithItsGroups() {
		TopicScripts topics = TestScripts.create(client, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE)
			.topics();
		String topic = TestRedis.queue();
		LengthLimit limit = new LengthLimit(10, true, null);
		TestQueue.get(topics.topic().keep(topic, new TopicRetention(Duration.ofHours(1), 100, 0)));
		TestQueue.get(topics.subscribe().run(topic, "a", Duration.ZERO, DeclaredFilter.NONE));
		TestQueue.get(topics.subscribe().run(topic, "b", Duration.ZERO, DeclaredFilter.NONE));
		RequestBatcher<NewMessage, PublishScript.Result> batcher = new RequestBatcher<>(topics.publish()
			.protocol(topic, 10, (group) -> limit, Duration.ofMinutes(1),
					(name) -> CompletableFuture.completedFuture(null)),
				ReplayMemory.NONE);
		NewMessage plain = message("plain", null, null, null);
		NewMessage special = message("special", "id", new MessageKeys("k", "f", 2, 9, null, false),
				Deduplication.firstWins("d", Duration.ofMinutes(1)));
		for (int i = 0; i < 2; i++) {
			PublishScript.Result reply = TestQueue.get(batcher.submit(List.of(plain, special), true));
			assertThat(reply.status()).isEqualTo(LaneStatus.OK);
			assertThat(reply.groups()).containsOnlyKeys("a", "b");
		}
		for (String group : List.of("a", "b")) {
			assertThat(client.getMap("redelay:{" + topic + "}@" + group + ":messages", StringCodec.INSTANCE).size())
				.isEqualTo(2);
		}
		TestQueue.get(topics.subscribe().run(topic, "late", Duration.ZERO, DeclaredFilter.NONE));
		String lane = TestQueue.get(topics.replay().open(topic, "late"));
		ReplayScript.Replayed replayed = TestQueue
			.get(topics.replay().run(topic, "late", new ReplayScript.Step(lane, 1, "0", "+", "replay", limit)));
		assertThat(replayed.status()).isEqualTo(LaneStatus.OK);
		assertThat(client.getMap("redelay:{" + topic + "}@late:messages", StringCodec.INSTANCE).readAllKeySet())
			.isNotEmpty();
		assertThat(TestQueue.get(topics.topic().removeGroup(topic, "b", TopicScript.Reason.BY_HAND)).messages())
			.isEqualTo(2);
		assertThat(TestQueue.get(batcher.submit(List.of(message("more", null, null, null)), true)).groups())
			.containsOnlyKeys("a", "late");
	}

	private static NewMessage message(String uid, @Nullable String id, @Nullable MessageKeys keys,
			@Nullable Deduplication deduplication) {
		return new NewMessage(uid, id, null, null, "{\"v\":1}".getBytes(StandardCharsets.UTF_8), keys, deduplication);
	}

	private static Settlement done(String uid, TestQueue next) {
		return Settlement.done(uid, 1,
				new Completion(List.of(new NextMessage(next.name, next.message("next"), null)), (counted) -> {
				}));
	}

	@Test
	@Order(2)
	void aBundleOfMessagesInOtherSlotsEndsInItsOwn() {
		QueueScripts store = TestScripts.create(client, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE);
		BundleScripts bundles = new AdminScripts(client, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE,
				new RedisAvailability(timer))
			.bundles();
		TestQueue callbacks = new TestQueue(store);
		List<TestQueue> others = onSeveralMasters(store, 4);
		BundleMembership bundle = new BundleMembership(callbacks.name, "b");
		List<BundleCommand.NewMember> added = others.stream()
			.map((queue) -> BundleCommand.NewMember.of(queue.name, queue.message("line").inBundle(bundle)))
			.toList();
		TestQueue.get(bundles.bundle()
			.run(callbacks.name, TestQueue.get(bundles.bundle().open(callbacks.name)), 1,
					List.of(BundleCommand.open("b", Duration.ofHours(1), "callback",
							new EnvelopeCodec().writeBeginning(Map.of()), BundleCommand.Wants.NOTHING),
							BundleCommand.add("b", added), BundleCommand.close("b")),
					false));
		for (OutboxNote note : notes(store, callbacks)) {
			NextMessage next = NextMessage.read(note);
			TestQueue.get(
					new TestSender(store, next.queue(), 10, null, Duration.ofMinutes(1)).send(List.of(next.message())));
		}
		BundleEnds ends = new BundleEnds(bundles, JsonMapper.shared(), (queue) -> {
		});
		for (TestQueue queue : others) {
			TestQueue.Consumer consumer = queue.consumer();
			ClaimReply.Message message = consumer.claim(10).messages().get(0);
			assertThat(consumer.claim(0, Settlement.ack(message.uid(), message.claim())).hasNotes()).isTrue();
			TestQueue.get(ends.relay(queue.name, notes(store, queue)));
		}
		assertThat(callbacks.consumer().claim(10).messages()).extracting(ClaimReply.Message::uid)
			.containsExactly("callback");
	}

	@Test
	@Order(2)
	void resultsComeFromOtherSlotsAndTheRestIsCancelledThere() {
		QueueScripts store = TestScripts.create(client, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE);
		AdminScripts admin = new AdminScripts(client, "redelay", Duration.ofSeconds(10), timer, ReplayMemory.NONE,
				new RedisAvailability(timer));
		BundleScripts bundles = admin.bundles();
		TestQueue callbacks = new TestQueue(store);
		List<TestQueue> others = Stream
			.concat(Stream.of(new TestQueue(store), new TestQueue(store)), onSeveralMasters(store, 4).stream())
			.toList();
		BundleMembership bundle = new BundleMembership(callbacks.name, "b");
		List<BundleCommand.NewMember> added = others.stream()
			.map((queue) -> BundleCommand.NewMember.of(queue.name, queue.message("line").inBundle(bundle)))
			.toList();
		TestQueue.get(bundles.bundle()
			.run(callbacks.name, TestQueue.get(bundles.bundle().open(callbacks.name)), 1,
					List.of(BundleCommand.open("b", Duration.ofHours(1), "callback",
							new EnvelopeCodec().writeBeginning(Map.of()),
							new BundleCommand.Wants(true, 100, 1000, null)), BundleCommand.add("b", added),
							BundleCommand.close("b")),
					false));
		for (OutboxNote note : notes(store, callbacks)) {
			NextMessage next = NextMessage.read(note);
			TestQueue.get(
					new TestSender(store, next.queue(), 10, null, Duration.ofMinutes(1)).send(List.of(next.message())));
		}
		BundleEnds ends = new BundleEnds(bundles, JsonMapper.shared(), (queue) -> {
		});
		TestQueue.Consumer handling = others.get(0).consumer();
		ClaimReply.Message handled = handling.claim(10).messages().get(0);
		HandledMember result = new HandledMember("application/json", "41".getBytes(StandardCharsets.UTF_8));
		handling.claim(0, Settlement.done(handled.uid(), handled.claim(), new Completion(List.of(result), (counted) -> {
		})));
		TestQueue.get(ends.relay(others.get(0).name, notes(store, others.get(0))));
		TestQueue.Consumer failing = others.get(1).consumer();
		ClaimReply.Message dead = failing.claim(10).messages().get(0);
		failing.claim(0, Settlement.bury(dead.uid(), dead.claim(), "{\"reason\":\"FAILED\"}"));
		TestQueue.get(ends.relay(others.get(1).name, notes(store, others.get(1))));
		List<OutboxNote> cancels = notes(store, callbacks).stream()
			.filter((note) -> note.kind() == BundleCancellation.KIND)
			.toList();
		assertThat(TestQueue.get(new BundleCancellation(admin).relay(callbacks.name, cancels)).done()).hasSize(1)
			.isEqualTo(cancels);
		for (TestQueue queue : others.subList(2, 6)) {
			assertThat(queue.consumer().claim(10).messages()).isEmpty();
			TestQueue.get(ends.relay(queue.name, notes(store, queue)));
		}
		List<ClaimReply.Message> callback = callbacks.consumer().claim(10).messages();
		assertThat(callback).hasSize(1);
		assertThat(new String(callback.get(0).envelope(), StandardCharsets.UTF_8)).contains("\"acknowledged\":1,",
				"\"dead\":1,", "\"cancelled\":4,", "\"value\":\"41\"", "\"leftOut\":0");
	}

	private static List<OutboxNote> notes(QueueScripts store, TestQueue queue) {
		return TestQueue.get(new OutboxScript(store.runner()).run(queue.name,
				new OutboxScript.Request("one", 1, TestQueue.LEASE, null, null, 100_000, List.of())))
			.notes();
	}

	private static List<String> scriptsOf(RedisServer node) {
		return String.valueOf(node.command("INFO", "commandstats"))
			.lines()
			.filter((line) -> line.startsWith("cmdstat_eval"))
			.toList();
	}

	@Test
	@Order(3)
	void aLaneGoesOnWhenItsMasterDies() {
		QueueScripts store = TestScripts.create(client, "redelay", Duration.ofMinutes(5), timer, ReplayMemory.NONE);
		TestQueue queue = new TestQueue(store);
		TestQueue.Sender sender = queue.sender();
		sender.send(queue.messages(3));
		TestQueue.Consumer consumer = queue.consumer(Duration.ofMinutes(10));
		List<ClaimReply.Message> held = consumer.claim(2).messages();
		RedisServer master = cluster.masterOf(queue.key("messages"));
		// What a replica has not got when its master dies is lost, which is not ours to
		// mend.
		RedisServer replica = cluster.replicaOf(master);
		Awaitility.await().until(() -> offset(replica, "slave_repl_offset") == offset(master, "master_repl_offset"));
		cluster.nodes().forEach((node) -> node.command("CONFIG", "SET", "cluster-node-timeout", "2000"));
		master.kill();
		CompletableFuture<SendReply> sent = sender.sendAsync(queue.messages(1));
		CompletableFuture<ClaimReply> claimed = consumer.claimAsync(10, Duration.ZERO,
				held.stream().map((message) -> Settlement.ack(message.uid(), message.claim())).toList());
		assertThat(TestQueue.get(sent).status()).isEqualTo(LaneStatus.OK);
		ClaimReply reply = TestQueue.get(claimed);
		assertThat(reply.status()).isEqualTo(LaneStatus.OK);
		assertThat(reply.refused()).isEmpty();
		assertThat(reply.messages().size() + consumer.claim(10).messages().size()).isEqualTo(2);
		master.restart();
		Awaitility.await().until(cluster::isOk);
	}

	private static long offset(RedisServer node, String name) {
		String info = String.valueOf(node.command("INFO", "replication"));
		return info.lines()
			.filter((line) -> line.startsWith(name + ":"))
			.mapToLong((line) -> Long.parseLong(line.substring(name.length() + 1)))
			.findFirst()
			.orElseThrow();
	}

	private static List<TestQueue> onSeveralMasters(QueueScripts store, int count) {
		return Stream.generate(() -> Stream.generate(() -> new TestQueue(store)).limit(count).toList())
			.filter((queues) -> queues.stream()
				.map((queue) -> cluster.masterOf(queue.key("messages")))
				.distinct()
				.count() > 1)
			.findFirst()
			.orElseThrow();
	}

}
