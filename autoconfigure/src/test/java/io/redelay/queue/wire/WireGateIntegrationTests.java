package io.redelay.queue.wire;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.guard.UnsuitableRedisException;
import io.redelay.queue.MessageSendException;
import io.redelay.queue.QueueException;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueCheck;
import io.redelay.queue.admin.engine.QueueChecks;
import io.redelay.queue.admin.engine.instance.HandlerInquiry;
import io.redelay.queue.admin.engine.instance.InstanceDirectory;
import io.redelay.queue.partition.QueuePartitions;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.PartitionsKey;
import io.redelay.scheduling.Scheduler;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import tools.jackson.databind.json.JsonMapper;

import static io.redelay.test.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link WireGate} and the script that it asks.
 */
class WireGateIntegrationTests {

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static RedisServer server;

	private static RedissonClient client;

	private final AtomicLong nanos = new AtomicLong();

	@BeforeAll
	static void start() {
		server = RedisServer.start();
		client = TestRedis.connect(server.uri());
	}

	@AfterAll
	static void stop() {
		client.shutdown();
		server.close();
		timer.shutdownNow();
	}

	@AfterEach
	void flush() {
		server.command("FLUSHALL");
	}

	@Test
	void versionsThatWorkBesideEachOtherBothPass() {
		assertThat(ask(gate(1, 1, "old"))).isEqualTo("OK");
		assertThat(ask(gate(2, 1, "new"))).isEqualTo("OK");
		assertThat(ask(gate(1, 1, "old"))).isEqualTo("OK");
		assertThat(spoken()).containsOnlyKeys("1", "2");
		assertThat(spoken().get("2")).matches("1 \\d{13} new");
		assertThat(client.getBucket("redelay:wire").remainTimeToLive()).isPositive();
	}

	@Test
	void aVersionIsRefusedThatALaterOneDoesNotWorkBeside() {
		ask(gate(3, 2, "new"));
		assertThat(ask(gate(1, 1, "old"))).startsWith("Instances of Redelay with wire number 3, last spoken at 20")
			.contains("by 'new'", "'redelay:*'", "They work with 2 and later, and this instance speaks 1.",
					"Update this instance to a release that speaks 2 or later");
		assertThat(spoken()).containsOnlyKeys("3");
	}

	@Test
	void aVersionIsRefusedThatDoesNotWorkBesideAnEarlierOne() {
		ask(gate(1, 1, "old"));
		assertThat(ask(gate(3, 2, "new"))).startsWith("Instances of Redelay with wire number 1")
			.contains("by 'old'", "This instance speaks 3, which works with 2 and later.",
					"delete the key 'redelay:wire'");
		assertThat(spoken()).containsOnlyKeys("1");
	}

	/**
	 * A release that reads the new form as well, one that writes it, and one that no
	 * longer reads the earlier form; see {@code wire-versions.adoc}.
	 */
	@Test
	void aChangeInThreeReleasesKeepsEachFromThoseThatDoNotUnderstandIt() {
		Supplier<WireGate> before = () -> gate(1, 1, "before");
		Supplier<WireGate> reads = () -> gate(2, 1, "reads");
		Supplier<WireGate> writes = () -> gate(3, 2, 1, "writes");
		Supplier<WireGate> last = () -> gate(4, 3, "last");
		assertThat(ask(before.get())).isEqualTo("OK");
		assertThat(ask(reads.get())).isEqualTo("OK");
		assertThat(ask(writes.get())).startsWith("Instances of Redelay with wire number 1")
			.contains("an hour after the last of the others has ended", "'redis-cli HDEL redelay:wire 1'");
		lastSpoken(1, Duration.ofMinutes(59));
		assertThat(ask(writes.get())).contains("wire number 1");
		lastSpoken(1, Duration.ofMinutes(61));
		assertThat(ask(writes.get())).isEqualTo("OK");
		assertThat(ask(reads.get())).isEqualTo("OK");
		assertThat(ask(before.get())).contains("wire number 3", "'redis-cli HDEL redelay:wire 3'");
		lastSpoken(2, Duration.ofDays(30));
		assertThat(ask(last.get()))
			.matches("Instances of Redelay with wire number [12].*cannot read it.*migrates it.*");
		server.command("HDEL", "redelay:wire", "1", "2");
		assertThat(ask(last.get())).isEqualTo("OK");
		assertThat(ask(writes.get())).isEqualTo("OK");
		assertThat(ask(reads.get())).contains("wire number 4", "They work with 3 and later");
	}

	/**
	 * This version works beside number 1, until messages are packed.
	 */
	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void onceMessagesMayBePackedInstancesThatDoNotKnowThemAreRefused(CapturedLog log) {
		WireGate packs = gate(2, 1, "packs");
		try (ScriptRunner runner = runner(packs)) {
			assertThat(ask(packs)).isEqualTo("OK");
			assertThat(ask(gate(1, 1, "earlier"))).isEqualTo("OK");
			assertThat(runner.refuseOthers().join()).as("while an earlier one may run").isFalse();
			assertThat(ask(gate(1, 1, "earlier"))).isEqualTo("OK");
			lastSpoken(1, Duration.ofMinutes(59));
			assertThat(runner.refuseOthers().join()).isFalse();
			assertThat(log.entriesWith(WireGate.class.getName(), "Versions side by side")).isEmpty();
			lastSpoken(1, Duration.ofMinutes(61));
			assertThat(runner.refuseOthers().join()).isTrue();
			assertThat(runner.refuseOthers().join()).isTrue();
			assertThat(log.entriesWith(WireGate.class.getName(), "Versions side by side")).as("once").hasSize(1);
			assertThat(ask(gate(1, 1, "earlier"))).startsWith("Instances of Redelay with wire number 2, last spoken at")
				.contains("by 'packs'", "They work with 2 and later, and this instance speaks 1.",
						"Update this instance to a release that speaks 2 or later");
			assertThat(ask(gate(2, 1, "another"))).as("it stays so").isEqualTo("OK");
			assertThat(spoken().get("2")).startsWith("2 ").endsWith(" another");
			assertThat(ask(gate(1, 1, "earlier"))).contains("They work with 2 and later");
			server.command("HSET", "redelay:wire", "2", "1 1700000000000 went-back");
			this.nanos.addAndGet(Duration.ofMinutes(1).toNanos());
			runner.speak();
			await().untilAsserted(() -> assertThat(spoken().get("2")).startsWith("2 ").endsWith(" packs"));
			assertThat(ask(gate(3, 1, "later"))).isEqualTo("OK");
		}
	}

	@Test
	void anInstanceThatOnlyReadsRefusesNoOtherOne() {
		try (ScriptRunner runner = runner(WireGate.reading())) {
			runner.refuseOthers().join();
			assertThat(spoken()).isEmpty();
		}
	}

	private static void lastSpoken(int number, Duration ago) {
		String field = Integer.toString(number);
		String[] words = spoken().getOrDefault(field, "").split(" ");
		server.command("HSET", "redelay:wire", field,
				words[0] + " " + (System.currentTimeMillis() - ago.toMillis()) + " " + words[2]);
	}

	@Test
	void whatAnotherInstanceWroteIsShownAsWhatItIs() {
		server.command("HSET", "redelay:wire", "3", "2 1700000000000 new\n\u001b[31mERROR " + "x".repeat(1000));
		assertThat(ask(gate(1, 1, "old"))).contains("by 'new\\n\\u001b[31mERROR xxx", "x…', use").hasSizeLessThan(700);
		flush();
		server.command("HSET", "redelay:wire", "7\r\n", "\u202e" + "y".repeat(1000));
		assertThat(ask(gate(1, 1, "old"))).contains("has '\\u202eyyy", "y…' for '7\\r\\n'").hasSizeLessThan(400);
	}

	@Test
	void whatCannotBeReadIsRefused() {
		for (String value : List.of("x", "", "1", "1x 2")) {
			server.command("HSET", "redelay:wire", "7", value);
			assertThat(ask(gate(1, 1, "old"))).contains("The key 'redelay:wire' has '" + value + "' for '7'");
		}
		assertThat(spoken()).containsOnlyKeys("7");
	}

	@Test
	void moreWordsOfALaterVersionAreLeftAside() {
		server.command("HSET", "redelay:wire", "2", "1 1700000000000 some more");
		assertThat(ask(gate(1, 1, "old"))).isEqualTo("OK");
	}

	@Test
	void aRequestThatIsRefusedIsNotMade() {
		server.command("HSET", "redelay:wire", "3", "3 1700000000000 new");
		try (ScriptRunner runner = runner(new WireGate("old"))) {
			assertThatExceptionOfType(Exception.class)
				.isThrownBy(() -> runner.runOnKey(Script.REGISTER, "queues", "Registering", (reply) -> null, "q").get())
				.withCauseInstanceOf(StoreException.class)
				.withMessageContaining("wire number 3");
		}
		assertThat(server.command("EXISTS", "redelay:queues")).isEqualTo(0L);
	}

	@Test
	void anInstanceThatOnlyReadsLeavesNoWordOfItself() {
		assertThat(ask(WireGate.reading())).isEqualTo("OK");
		assertThat(server.command("EXISTS", "redelay:wire")).isEqualTo(0L);
		ask(gate(1, 1, "old"));
		assertThat(ask(WireGate.reading(2, 1, this.nanos::get))).as("of a later version").isEqualTo("OK");
		assertThat(ask(WireGate.reading(2, 2, this.nanos::get))).contains("This instance speaks 2",
				"this version cannot read it");
		server.command("HSET", "redelay:wire", "3", "3 1700000000000 new");
		assertThat(ask(WireGate.reading())).contains("They work with 3 and later, and this instance speaks 2.");
		assertThat(spoken()).containsOnlyKeys("1", "3");
	}

	@Test
	void anInstanceThatOnlyReadsSendsNothingThatWrites() throws Exception {
		try (ScriptRunner runner = runner(WireGate.reading())) {
			assertThat(runner.isReading()).isTrue();
			assertThatExceptionOfType(Exception.class)
				.isThrownBy(() -> runner.runOnKey(Script.REGISTER, "queues", "Registering", (reply) -> null, "q").get())
				.withCauseInstanceOf(StoreException.class)
				.withMessageContaining("Registering: nothing was changed, as this instance only reads");
			assertThat(runner.runOnKey(Script.QUEUES, "queues", "Listing", ReplyReader::texts).get()).isEmpty();
			assertThat(new PartitionsKey(runner).list().get()).isEmpty();
			assertThatExceptionOfType(Exception.class)
				.isThrownBy(() -> new PartitionsKey(runner).raise("q", new PartitionsKey.Layout(2, 2)).get())
				.withMessageContaining("only reads");
		}
		assertThat(server.command("KEYS", "*")).asString().isEqualTo("[]");
	}

	/**
	 * A question is published, which no script is.
	 */
	@Test
	void anInstanceThatOnlyReadsAsksNoOtherOne() {
		Scheduler scheduler = Scheduler.of(timer, Runnable::run);
		ReplayMemory memory = new ReplayMemory(Duration.ZERO, 0, (rollback) -> {
		}, scheduler);
		try (AdminScripts store = new AdminScripts(runner(WireGate.reading()), () -> "", scheduler, memory, 1000)) {
			JsonMapper mapper = JsonMapper.shared();
			HandlerInquiry inquiry = new HandlerInquiry(store, new InstanceDirectory(store, mapper), mapper);
			assertThatExceptionOfType(QueueException.class).isThrownBy(() -> inquiry.interrupt("orders", "a", 1))
				.withMessage("No instance was asked for the handler of the message 'a', as this one only reads");
			assertThatExceptionOfType(QueueException.class).isThrownBy(() -> inquiry.stack("orders", "a", 1))
				.withMessageEndingWith("as this one only reads");
		}
	}

	@Test
	void anInstanceThatOnlyReadsCountsNoPackedMessagesAgain() {
		Scheduler scheduler = Scheduler.of(timer, Runnable::run);
		ReplayMemory memory = new ReplayMemory(Duration.ZERO, 0, (rollback) -> {
		}, scheduler);
		server.command("HSET", "redelay:{orders}:meta", "far", "5 2 1 1 1000");
		server.command("ZADD", "redelay:{orders}:far", "1800000000000", "1");
		server.command("HSET", "redelay:{orders}:far:chunks", "1", "x", "n1", "1 1800000000000 1");
		try (AdminScripts store = new AdminScripts(runner(WireGate.reading()), () -> "", scheduler, memory, 1000)) {
			assertThat(new QueueChecks(store).check("orders").problems()).extracting(QueueCheck.Problem::detail)
				.contains("5 packed messages are recorded, and 1 are there");
		}
		assertThat(server.command("HGET", "redelay:{orders}:meta", "far")).isEqualTo("5 2 1 1 1000");
	}

	/**
	 * Where others would write again what Redis has lost, it would fail for ever.
	 */
	@Test
	void anInstanceThatOnlyReadsTakesFewerPartitionsThanItKnew() throws Exception {
		Scheduler scheduler = Scheduler.of(timer, Runnable::run);
		ReplayMemory memory = new ReplayMemory(Duration.ZERO, 0, (rollback) -> {
		}, scheduler);
		try (AdminScripts store = new AdminScripts(runner(WireGate.reading()), () -> "", scheduler, memory, 1000);
				QueuePartitions partitions = new QueuePartitions(store, Map.of(), scheduler, Duration.ZERO)) {
			server.command("HSET", "redelay:partitions", "orders", "2 2");
			assertThat(partitions.ask("orders").get()).hasSize(2);
			server.command("DEL", "redelay:partitions");
			partitions.askAgain();
			assertThat(partitions.ask("orders").get()).containsExactly("orders");
		}
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void anInstanceFindsOutWithinAMinuteThatAnotherOneDoesNotWorkBesideIt(CapturedLog log) {
		WireGate gate = gate(1, 1, "old");
		ask(gate);
		server.command("DEL", "redelay:wire");
		server.command("HSET", "redelay:wire", "3", "2 1700000000000 new");
		try (ScriptRunner runner = runner(gate)) {
			assertThat(ask(gate)).isEqualTo("OK");
			this.nanos.addAndGet(Duration.ofMinutes(1).toNanos());
			runner.speak();
			await().until(() -> gate.refusal() != null);
			assertThat(ask(gate)).contains("wire number 3");
			assertThat(log.entriesWith("ERROR",
					"This instance sends no more requests to Redis: Instances of Redelay with wire number 3"))
				.hasSize(1);
			server.command("DEL", "redelay:wire");
			assertThat(ask(gate)).contains("wire number 3");
			this.nanos.addAndGet(Duration.ofSeconds(1).toNanos());
			assertThat(ask(gate)).isEqualTo("OK");
		}
	}

	@Test
	void redisIsAskedOnceAMinuteAtMostAndWhileItIsAwayRequestsGoOn() {
		AtomicInteger asked = new AtomicInteger();
		WireGate gate = gate(1, 1, "one");
		CompletableFuture<ReplyReader> first = new CompletableFuture<>();
		CompletableFuture<Void> pass = gate.pass("redelay", (key, args) -> {
			asked.incrementAndGet();
			return first;
		});
		assertThat(gate.pass("redelay", (key, args) -> first)).isSameAs(pass).isNotCompleted();
		first.complete(new ReplyReader(List.of("OK")));
		assertThat(pass).isCompleted();
		for (int i = 0; i < 100; i++) {
			assertThat(gate.pass("redelay", (key, args) -> {
				asked.incrementAndGet();
				return CompletableFuture.failedFuture(new StoreException("away", null, true));
			})).isNull();
			this.nanos.addAndGet(Duration.ofSeconds(3).toNanos());
		}
		assertThat(asked).hasValue(1 + 4);
	}

	@Test
	void afterAnIdleTimeRequestsWaitForTheAnswer() {
		WireGate gate = gate(1, 1, "one");
		pass(gate, answer("OK"));
		this.nanos.addAndGet(Duration.ofSeconds(121).toNanos());
		CompletableFuture<ReplyReader> late = new CompletableFuture<>();
		CompletableFuture<Void> first = pass(gate, late);
		CompletableFuture<Void> second = pass(gate, late);
		assertThat(first).isNotCompleted();
		assertThat(second).isNotCompleted();
		this.nanos.addAndGet(Duration.ofSeconds(61).toNanos());
		assertThat(pass(gate, late)).isNotCompleted();
		late.complete(new ReplyReader(List.of("REFUSED", "3", "2 1700000000000 new")));
		assertThat(first).isCompletedExceptionally();
		assertThat(second).isCompletedExceptionally();
		this.nanos.addAndGet(Duration.ofSeconds(1).toNanos());
		assertThat(pass(gate, answer("OK"))).isNull();
	}

	@Test
	void afterAnIdleTimeRequestsGoOnOnlyIfRedisIsAway() {
		WireGate gate = gate(1, 1, "one");
		pass(gate, answer("OK"));
		this.nanos.addAndGet(Duration.ofSeconds(121).toNanos());
		assertThat(pass(gate, failure(true))).isCompletedWithValue(null);
		assertThat(pass(gate, failure(true))).isNull();
		this.nanos.addAndGet(Duration.ofSeconds(121).toNanos());
		assertThat(pass(gate, failure(false))).isCompletedExceptionally();
		assertThat(pass(gate, failure(true))).isCompletedExceptionally();
		assertThat(pass(gate, answer("OK"))).isNull();
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void anAnswerCountsForLessThanTheHourAfterWhichANumberIsTakenForUnused(CapturedLog log) {
		WireGate gate = gate(1, 1, "one of an hour");
		pass(gate, answer("OK"));
		for (int i = 0; i < 50; i++) {
			assertThat(pass(gate, failure(true))).isNull();
			this.nanos.addAndGet(Duration.ofMinutes(1).toNanos());
		}
		assertThat(pass(gate, failure(true))).isCompletedExceptionally();
		assertThat(pass(gate, answer("REFUSED", "3", "2 1700000000000 after-an-hour"))).isCompletedExceptionally();
		assertThat(log.entriesWith("ERROR", "by 'after-an-hour'")).hasSize(1);
	}

	private static @Nullable CompletableFuture<Void> pass(WireGate gate, CompletableFuture<ReplyReader> reply) {
		return gate.pass("redelay", (key, args) -> reply);
	}

	private static CompletableFuture<ReplyReader> answer(String... words) {
		return CompletableFuture.completedFuture(new ReplyReader(List.of(words)));
	}

	private static CompletableFuture<ReplyReader> failure(boolean away) {
		return CompletableFuture.failedFuture(new StoreException("no answer", null, away));
	}

	@Test
	void aRequestBeforeTheFirstAnswerFailsIfThereIsNone() {
		CompletableFuture<Void> pass = gate(1, 1, "one").pass("redelay",
				(key, args) -> CompletableFuture.failedFuture(new StoreException("away", null, true)));
		assertThatExceptionOfType(Exception.class).isThrownBy(pass::get)
			.satisfies((failure) -> assertThat(StoreException.isAway(failure.getCause())).isTrue());
	}

	@Test
	void anApplicationSaysWhatItSpeaks() throws Exception {
		try (ListenerApplication application = ListenerApplication.on(client).beans(Handlers.class).start()) {
			assertThat(spoken()).containsOnlyKeys(Integer.toString(WireGate.NUMBER));
			assertThat(application.queues().send("wire", "x")).isNotNull();
		}
	}

	@Test
	void anApplicationOfAnotherVersionDoesNotStart() {
		server.command("HSET", "redelay:wire", "3", "3 1700000000000 new");
		assertThatExceptionOfType(Exception.class)
			.isThrownBy(() -> ListenerApplication.on(client).beans(Handlers.class).start().close())
			.satisfies((failure) -> assertThat(failure).isInstanceOf(UnsuitableRedisException.class)
				.hasMessageContaining("They work with 3 and later, and this instance speaks 2."));
		assertThat(server.command("KEYS", "redelay:*")).asString().isEqualTo("[redelay:wire]");
	}

	@Test
	void anApplicationThatConnectsLaterIsRefusedThen() throws Exception {
		server.command("HSET", "redelay:wire", "3", "3 1700000000000 new");
		Config config = new Config().setLazyInitialization(true);
		config.useSingleServer().setAddress(server.uri().toString());
		RedissonClient lazy = Redisson.create(config);
		try (ListenerApplication application = ListenerApplication.on(lazy).start()) {
			assertThatExceptionOfType(MessageSendException.class)
				.isThrownBy(() -> application.queues().send("wire", "x"))
				.withStackTraceContaining("wire number 3");
		}
		finally {
			lazy.shutdown();
		}
		assertThat(server.command("KEYS", "redelay:*")).asString().isEqualTo("[redelay:wire]");
	}

	private WireGate gate(int number, int lowest, String instance) {
		return gate(number, lowest, lowest, instance);
	}

	private WireGate gate(int number, int lowest, int reads, String instance) {
		return new WireGate(number, lowest, reads, instance, this.nanos::get);
	}

	private static ScriptRunner runner(WireGate gate) {
		Scheduler scheduler = Scheduler.of(timer, Runnable::run);
		return new ScriptRunner("redelay", new RedisScriptExecutor(client, Duration.ofSeconds(10), scheduler,
				LuaScripts.load(), new RedisAvailability(timer)), () -> gate);
	}

	private static String ask(WireGate gate) {
		try (ScriptRunner runner = runner(gate)) {
			return runner.speak()
				.handle((done, failure) -> (failure != null) ? StoreException.cause(failure).getMessage() : "OK")
				.join();
		}
	}

	private static Map<String, String> spoken() {
		return client.<String, String>getMap("redelay:wire", StringCodec.INSTANCE).readAllMap();
	}

	static class Handlers {

		@QueueListener(queues = "wire")
		void handle(String text) {
		}

	}

}
