package io.redelay.queue.admin;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.redelay.queue.Deduplication;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.admin.QueueCheck.Kind;
import io.redelay.queue.bundle.BundleCallback;
import io.redelay.queue.bundle.MessageBundles;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import io.redelay.test.UnsoundQueues;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.redisson.api.RMap;
import org.redisson.api.RScoredSortedSet;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for the check of what Redis keeps of a queue.
 */
@UnsoundQueues("each kind of damage")
class QueueCheckIntegrationTests {

	private static final Duration HOUR = Duration.ofHours(1);

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final Handler handler = new Handler();

	private ListenerApplication application;

	private QueueAdmin admin;

	/**
	 * One message that is held, three that wait for its ordering key, and one of each
	 * other state.
	 */
	@BeforeEach
	void fill() {
		this.application = ListenerApplication.on(redis)
			.bean(this.handler)
			.with("queue", this.queue)
			.with("redelay.queue.queues[" + this.queue + "].completed.max-age", "1h")
			.start();
		this.admin = this.application.bean(QueueAdmin.class);
		send("reject");
		Awaitility.await().until(() -> this.admin.queues().info(this.queue).dead() == 1);
		send("done");
		Awaitility.await().until(() -> this.admin.queues().info(this.queue).completed() == 1);
		this.application.queues()
			.send(OutboundMessage.to(this.queue, "hold").id("held").orderingKey("order").fairnessKey("fair"));
		Awaitility.await().until(() -> this.admin.queues().info(this.queue).inFlight() == 1);
		this.application.queues()
			.sendAll(IntStream.range(0, 3)
				.mapToObj((i) -> OutboundMessage.to(this.queue, "line").id("line" + i).orderingKey("order").tag("tag"))
				.toList());
		this.application.queues()
			.send(OutboundMessage.to(this.queue, "later").id("later").delay(HOUR).timeToLive(HOUR));
		this.application.queues()
			.send(OutboundMessage.to(this.queue, "once").deduplicate(Deduplication.firstWins("key", HOUR)).id("once"));
		this.application.bean(MessageBundles.class)
			.open(BundleCallback.to(this.queue).id("bundle"))
			.add(OutboundMessage.to(this.queue, "member").delay(HOUR));
		this.application.queues().send(OutboundMessage.to(this.queue, "plain").id("plain"));
		this.application.queues().send(OutboundMessage.to(this.queue, "grouped").id("grouped").fairnessKey("other"));
	}

	@AfterEach
	void stop() {
		this.handler.release.countDown();
		this.application.close();
	}

	@Test
	void findsNothingInASoundQueue() {
		QueueCheck check = this.admin.queues().check(this.queue);
		assertThat(check.problems()).isEmpty();
		assertThat(check.complete()).isTrue();
		assertThat(check.sound()).isTrue();
		assertThat(check.examined()).isGreaterThan(20);
		assertThat(check.time()).isBeforeOrEqualTo(QueueState.now(redis));
	}

	@ParameterizedTest
	@MethodSource
	void findsDamage(Damage damage) {
		damage.act.accept(this);
		QueueCheck check = this.admin.queues().check(this.queue);
		assertThat(check.sound()).isFalse();
		assertThat(check.problemCount()).isPositive();
		assertThat(check.problems()).anySatisfy((problem) -> {
			assertThat(problem.kind()).isEqualTo(damage.kind);
			assertThat(problem.partition()).isEqualTo(this.queue);
			assertThat(problem.detail()).contains(damage.detail);
		});
	}

	static Stream<Damage> findsDamage() {
		return Stream.of(
				new Damage(Kind.TWO_STATES, "scheduled, and in the list", (test) -> test.schedule(test.uid("plain"))),
				new Damage(Kind.TWO_STATES, "held, scheduled", (test) -> test.schedule(test.uid("held"))),
				new Damage(Kind.TWO_STATES, "dead, scheduled", (test) -> test.zset("dead").add(1, test.uid("later"))),
				new Damage(Kind.STRANDED, "no place", (test) -> test.list("ready").remove(test.uid("plain"))),
				new Damage(Kind.STRANDED, "no place", (test) -> test.zset("scheduled").remove(test.uid("later"))),
				new Damage(Kind.STRANDED, "which no message has", (test) -> test.map("order").remove("order")),
				new Damage(Kind.STRANDED, "message that is gone", (test) -> test.map("order").put("order", "gone")),
				new Damage(Kind.STRANDED, "neither takes turns nor is blocked", (test) -> test.zset("turns").clear()),
				new Damage(Kind.SEAT, "not among those that wait", (test) -> test.zset("waiting").clear()),
				new Damage(Kind.SEAT, "seats, and", (test) -> test.zset("waiting").add(0, "o\0001")),
				new Damage(Kind.TURN, "it has the turn", (test) -> test.map("order").put("another", "gone")),
				new Damage(Kind.TURN, "it is held", (test) -> test.map("order").remove("order")),
				new Damage(Kind.NO_BODY, "it is held", (test) -> test.map("messages").remove(test.uid("held"))),
				new Damage(Kind.NO_BODY, "it is dead",
						(test) -> test.map("dead:messages").remove(test.zset("dead").first())),
				new Damage(Kind.LANE, "says that it holds 7", (test) -> test.map("held").put(test.lane(), "1|7|p||")),
				new Damage(Kind.LANE, "is not known", (test) -> test.zset("lanes").add(1, "unknown")),
				new Damage(Kind.LANE, "has no deadline", (test) -> test.zset("lanes").clear()),
				new Damage(Kind.BUSY, "counts 4 held messages, and has 1", (test) -> test.map("busy").put("fair", "4")),
				new Damage(Kind.BUSY, "counts no held", (test) -> test.map("busy").remove("fair")),
				new Damage(Kind.ID, "not its id", (test) -> test.map("ids").put("i:x", test.uid("plain"))),
				new Damage(Kind.ID, "not found by its id", (test) -> test.map("ids").remove("i:plain")),
				new Damage(Kind.TAG, "tag", (test) -> test.zset("tags").add(0, "x\000" + test.uid("line1"))),
				new Damage(Kind.KEY, "has no end", (test) -> test.zset("dedup:expiries").clear()),
				new Damage(Kind.SIZE, "1 bytes are recorded", (test) -> test.map("dead:messages").put("@bytes", "1")),
				new Damage(Kind.SIZE, "1 bytes are recorded",
						(test) -> test.map("completed:messages").put("@bytes", "1")),
				new Damage(Kind.BUNDLE, "1 of its messages are pending, and has 0",
						(test) -> test.zset("bundles:pending").clear()),
				new Damage(Kind.BUNDLE, "no callback", (test) -> test.map("bundles:callbacks").remove("bundle")),
				leftBehind("bundles:pending", (test) -> test.zset("bundles:pending").add(0, "gone\000q\000uid/")),
				leftBehind("bundles:callbacks", (test) -> test.map("bundles:callbacks").put("gone/dead", "x")),
				leftBehind("bundles:results", (test) -> test.map("bundles:results").put("gone\0001", "x")),
				leftBehind("tries", (test) -> test.map("tries").put("gone", "1")),
				leftBehind("history", (test) -> test.map("history").put("gone", "{}")),
				leftBehind("expiries", (test) -> test.zset("expiries").add(1, "gone")),
				leftBehind("scheduled", (test) -> test.zset("scheduled").add(1, "gone")),
				leftBehind("keys", (test) -> test.map("keys").put("gone", "a\000\0001\0005\000\000")),
				leftBehind("cancelled",
						(test) -> redis.client().getSet(test.key("cancelled"), StringCodec.INSTANCE).add("gone")),
				leftBehind("work", (test) -> test.map("work").put("gone/log", "x")),
				leftBehind("dead:messages", (test) -> test.map("dead:messages").put("gone/cause", "x")),
				leftBehind("completed:messages", (test) -> test.map("completed:messages").put("gone", "x")),
				leftBehind("seats", (test) -> test.map("seats").put("gone", "o\0001gone")));
	}

	private static Damage leftBehind(String key, Consumer<QueueCheckIntegrationTests> act) {
		return new Damage(Kind.ORPHAN, "entry of the key " + key, act);
	}

	@Test
	void findsNothingWhileAQueueIsUsed() throws InterruptedException {
		String busy = TestRedis.queue();
		AtomicBoolean stopped = new AtomicBoolean();
		Busy listener = new Busy();
		try (ListenerApplication another = ListenerApplication.on(redis).bean(listener).with("busy", busy).start()) {
			Thread sender = new Thread(() -> {
				for (int i = 0; !stopped.get(); i++) {
					another.queues()
						.sendAll(List.of(OutboundMessage.to(busy, i).delay(Duration.ofMillis(i % 5)),
								OutboundMessage.to(busy, i).orderingKey("k" + i % 3).fairnessKey("f" + i % 4),
								OutboundMessage.to(busy, i).id("id" + i).tag("t")));
				}
			});
			another.queues().send(busy, 0);
			sender.start();
			try {
				for (int i = 0; i < 30; i++) {
					assertThat(this.admin.queues().check(busy).problems()).isEmpty();
				}
			}
			finally {
				stopped.set(true);
				sender.join();
			}
		}
	}

	@Test
	void looksAtEachEntryOfALongQueueAndAtItsGroups() {
		String topic = TestRedis.queue();
		this.admin.control().pause(this.queue);
		this.application.queues()
			.sendAll(IntStream.range(0, 3_000).mapToObj((i) -> OutboundMessage.to(this.queue, "x" + i)).toList());
		QueueCheck check = this.admin.queues().check(this.queue);
		assertThat(check.sound()).isTrue();
		assertThat(check.examined()).isGreaterThan(6_000);
		list("ready").remove(list("ready").get(2_500));
		assertThat(this.admin.queues().check(this.queue).problems()).singleElement()
			.extracting(QueueCheck.Problem::kind)
			.isEqualTo(Kind.STRANDED);
		assertThatExceptionOfType(UnknownQueueException.class).isThrownBy(() -> this.admin.queues().check(topic));
	}

	@Test
	void namesTheFirstHundredProblemsAndCountsAll() {
		IntStream.range(0, 250).forEach((i) -> map("tries").put("gone" + i, "1"));
		QueueCheck check = this.admin.queues().check(this.queue);
		assertThat(check.problems()).hasSize(100);
		assertThat(check.problemCount()).isEqualTo(250);
	}

	private void send(String payload) {
		this.application.queues().send(this.queue, payload);
	}

	private void schedule(String uid) {
		zset("scheduled").add(1, uid);
	}

	private String uid(String id) {
		return map("ids").get("i:" + id);
	}

	private String lane() {
		return map("held").readAllKeySet().stream().filter((field) -> field.startsWith("@")).findFirst().orElseThrow();
	}

	private String key(String name) {
		return "redelay:{" + this.queue + "}:" + name;
	}

	private RMap<String, String> map(String name) {
		return redis.client().getMap(key(name), StringCodec.INSTANCE);
	}

	private RScoredSortedSet<String> zset(String name) {
		return redis.client().getScoredSortedSet(key(name), StringCodec.INSTANCE);
	}

	private List<String> list(String name) {
		return redis.client().getList(key(name), StringCodec.INSTANCE);
	}

	/**
	 * What is done to a queue.
	 *
	 * @param kind what the check calls it
	 * @param detail what it says
	 * @param act what does it
	 */
	record Damage(Kind kind, String detail, Consumer<QueueCheckIntegrationTests> act) {

		@Override
		public String toString() {
			return this.kind + ": " + this.detail;
		}

	}

	static class Handler {

		private final CountDownLatch release = new CountDownLatch(1);

		@QueueListener(queues = "${queue}", concurrency = "1", prefetch = "0")
		void handle(String payload) throws InterruptedException {
			if (payload.equals("reject")) {
				throw new RejectMessageException("no");
			}
			if (payload.equals("hold")) {
				this.release.await();
			}
		}

	}

	static class Busy {

		@QueueListener(queues = "${busy}", concurrency = "4")
		void handle(Integer payload) {
			if (payload % 50 == 0) {
				throw new IllegalStateException("again");
			}
		}

	}

}
