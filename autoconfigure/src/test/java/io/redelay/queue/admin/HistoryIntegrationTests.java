package io.redelay.queue.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.ToLongFunction;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.AckMode;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.event.RedisRolledBackEvent;
import io.redelay.queue.measure.CountsWriter;
import io.redelay.queue.measure.QueueCounts;
import io.redelay.queue.message.DeclaredFilter;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.StatsKey;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Integration tests for the history of queues.
 */
class HistoryIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	/**
	 * Looks, and counts nothing that the tests do.
	 */
	private static ListenerApplication looking;

	private final String queue = TestRedis.queue();

	@BeforeAll
	static void start() {
		looking = ListenerApplication.on(redis).with("redelay.queue.stats.enabled", "false").start();
	}

	@AfterAll
	static void stop() {
		looking.close();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void allInstancesCountAndNothingIsLostThatOneCountedWhenItStops() {
		try (ListenerApplication sender = application()) {
			sender.queues().sendAll(messages(6));
			sender.queues().send(OutboundMessage.to(this.queue, "rejected"));
		}
		Handler handler = new Handler();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("the.queue", this.queue)
			.bean(handler)
			.start()) {
			await().until(() -> handler.done.getCount() == 0);
		}
		QueueHistory history = admin().queues().history(this.queue);
		assertThat(history.minutes()).hasSize(QueueHistory.MINUTES);
		assertThat(sum(history, QueueMinute::sent)).isEqualTo(7);
		assertThat(sum(history, QueueMinute::handled)).isEqualTo(6);
		assertThat(sum(history, QueueMinute::failed)).isEqualTo(1);
		assertThat(sum(history, QueueMinute::dead)).isEqualTo(1);
		assertThat(history.minutes()).anySatisfy((minute) -> {
			assertThat(minute.meanHandling()).isPositive();
			assertThat(minute.maxHandling()).isGreaterThanOrEqualTo(minute.meanHandling());
		});
		assertThat(last(history).ready()).isZero();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatDiesUnhandledIsNoFailedAttempt() {
		try (ListenerApplication application = application()) {
			application.queues().sendAll(messages(5));
			QueueAdmin buries = application.bean(QueueAdmin.class);
			for (QueuedMessage message : buries.messages().browse(this.queue, MessageState.READY, 0, 10).messages()) {
				assertThat(buries.messages().bury(this.queue, message.id(), "not wanted").done()).isTrue();
			}
		}
		QueueHistory history = admin().queues().history(this.queue);
		assertThat(sum(history, QueueMinute::dead)).isEqualTo(5);
		assertThat(sum(history, QueueMinute::failed)).isZero();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatFailsAfterItsAcknowledgementIsAFailedAttempt() {
		try (ListenerApplication sender = application()) {
			sender.queues().sendAll(messages(4));
		}
		Losing losing = new Losing();
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("the.queue", this.queue)
			.bean(losing)
			.start()) {
			await().until(() -> losing.lost.getCount() == 0);
		}
		assertThat(sum(admin().queues().history(this.queue), QueueMinute::failed)).isEqualTo(4);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void minutesFollowEachOtherByTheClockOfRedisAndTheLastOneIsRunning() {
		use(this.queue);
		QueueHistory history = admin().queues().history(this.queue);
		assertThat(history.queue()).isEqualTo(this.queue);
		assertThat(last(history).start()).isBeforeOrEqualTo(history.time());
		assertThat(last(history).start().plusSeconds(60)).isAfter(history.time());
		assertThat(history.from()).isEqualTo(last(history).start().minusSeconds(59 * 60));
		assertThat(last(history).ready()).isEqualTo(1);
		assertThat(history.minutes()).allSatisfy((minute) -> assertThat(minute.dead()).isZero());
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRequestThatIsMadeAgainCountsOnce() {
		use(this.queue);
		List<CountsWriter.Span> spans = List.of(span(0, 5));
		new StatsKey(store().runner()).add(this.queue, "one", 7, spans).join();
		new StatsKey(store().runner()).add(this.queue, "one", 7, spans).join();
		new StatsKey(store().runner()).add(this.queue, "one", 6, spans).join();
		new StatsKey(store().runner()).add(this.queue, "other", 1, spans).join();
		assertThat(sum(admin().queues().history(this.queue), QueueMinute::sent)).isEqualTo(10);
		new StatsKey(store().runner()).add(this.queue, "one", 8, spans).join();
		assertThat(sum(admin().queues().history(this.queue), QueueMinute::sent)).isEqualTo(15);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theRingHasSixtyMinutesHoweverOldTheCountsAre() {
		use(this.queue);
		List<CountsWriter.Span> spans = new ArrayList<>();
		for (int minutes = 0; minutes < 200; minutes++) {
			spans.add(span(minutes * 60_000L, 1));
		}
		new StatsKey(store().runner()).add(this.queue, "one", 1, spans).join();
		assertThat(sum(admin().queues().history(this.queue), QueueMinute::sent)).isBetween(59L, 60L);
		assertThat(redis.client().getMap("redelay:{" + this.queue + "}:stats", StringCodec.INSTANCE).size())
			.as("sixty minutes, thirteen slots and an instance")
			.isLessThanOrEqualTo(74);
		long left = redis.client().getMap("redelay:{" + this.queue + "}:stats").remainTimeToLive();
		assertThat(left).isBetween(1L, Duration.ofMinutes(61).toMillis());
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatWasReadyLastsUntilSomethingHappens() {
		use(this.queue);
		new StatsKey(store().runner()).add(this.queue, "one", 1, List.of(span(0, 1))).join();
		StatsKey.History stored = new StatsKey(store().runner()).read(this.queue).join();
		assertThat(stored.ready()).isEqualTo(1);
		assertThat(stored.minutes().values()).singleElement()
			.satisfies((minute) -> assertThat(minute.ready()).isEqualTo(1));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aSlotOfAnEarlierRoundIsNotRead() {
		use(this.queue);
		new StatsKey(store().runner()).add(this.queue, "one", 1, List.of(span(0, 1))).join();
		Map<String, String> stored = redis.client().getMap("redelay:{" + this.queue + "}:stats", StringCodec.INSTANCE);
		String field = stored.keySet().stream().filter((name) -> name.startsWith("@ ")).findFirst().orElseThrow();
		String slot = stored.get(field);
		int end = slot.indexOf(' ');
		long round = StatsKey.History.SLOTS;
		stored.put(field, (Long.parseLong(slot.substring(0, end)) - round) + slot.substring(end));
		assertThat(new StatsKey(store().runner()).read(this.queue).join().slots()).isEmpty();
		stored.put(field, slot);
		assertThat(new StatsKey(store().runner()).read(this.queue).join().slots()).hasSize(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void theHistoryIsDeletedWithItsQueueAndDoesNotComeBack() {
		use(this.queue);
		new StatsKey(store().runner()).add(this.queue, "one", 1, List.of(span(0, 1))).join();
		admin().control().purge(this.queue, MessageState.READY);
		admin().control().delete(this.queue);
		assertThat(redis.client().getKeys().countExists("redelay:{" + this.queue + "}:stats")).isZero();
		new StatsKey(store().runner()).add(this.queue, "one", 2, List.of(span(0, 1))).join();
		assertThat(redis.client().getKeys().countExists("redelay:{" + this.queue + "}:stats")).isZero();
		assertThatExceptionOfType(UnknownQueueException.class).isThrownBy(() -> admin().queues().history(this.queue));
		assertThat(admin().queues().histories(List.of(this.queue)).get(this.queue).minutes())
			.allSatisfy((minute) -> assertThat(minute.sent()).isZero());
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aDayAndAMonthAreWrittenWithTheMinutesAndDeletedWithTheQueue() {
		use(this.queue);
		QueueInspector queues = admin().queues();
		new StatsKey(store().runner()).add(this.queue, "one", 1, List.of(span(0, 3), span(30 * 60_000, 4))).join();
		for (LongHistory.Span span : LongHistory.Span.values()) {
			LongHistory history = queues.history(this.queue, span);
			assertThat(history.steps()).hasSize(span.steps());
			assertThat(history.steps().stream().mapToLong(QueueMinute::sent).sum()).isEqualTo(7);
			QueueMinute last = history.steps().get(span.steps() - 1);
			assertThat(last.start()).isBeforeOrEqualTo(history.time()).isAfter(history.time().minus(span.step()));
			assertThat(last.ready()).isEqualTo(1);
		}
		admin().control().pause(this.queue);
		await().until(() -> kinds().contains(HistoryMark.Kind.PAUSED));
		admin().control().deleteWithMessages(this.queue);
		String base = "redelay:{" + this.queue + "}:";
		assertThat(redis.client().getKeys().countExists(base + "stats:day", base + "stats:month", base + "marks"))
			.isZero();
		assertThatExceptionOfType(UnknownQueueException.class)
			.isThrownBy(() -> queues.history(this.queue, LongHistory.Span.DAY));
		assertThatExceptionOfType(UnknownQueueException.class).isThrownBy(() -> queues.marks(this.queue));
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatHappensAroundAQueueIsMarked() {
		use(this.queue);
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("the.queue", TestRedis.queue())
			.with("spring.application.name", this.queue)
			.with("spring.application.version", "1.2.3")
			.bean(new Handler())
			.start()) {
			QueueAdmin acts = application.bean(QueueAdmin.class);
			acts.control().pause(this.queue);
			await().until(() -> kinds().contains(HistoryMark.Kind.PAUSED));
			acts.control().resume(this.queue);
			acts.jobs().start(this.queue, BulkRequest.of(BulkAction.BURY, MessageFilter.all()));
			await().until(() -> acts.queues().info(this.queue).dead() == 1);
			assertThat(acts.deadLetters().redrive(this.queue, DeadLetterFilter.all()).redriven()).isOne();
			application.context().publishEvent(new RedisRolledBackEvent(this.queue, "sender", 1, 1, 0, 0));
			await().until(() -> kinds().contains(HistoryMark.Kind.INSTANCE_STARTED));
		}
		await().untilAsserted(() -> assertThat(kinds()).containsExactlyInAnyOrder(HistoryMark.Kind.INSTANCE_STARTED,
				HistoryMark.Kind.PAUSED, HistoryMark.Kind.RESUMED, HistoryMark.Kind.JOB_STARTED,
				HistoryMark.Kind.REDRIVEN, HistoryMark.Kind.REDIS_WENT_BACK, HistoryMark.Kind.INSTANCE_STOPPED));
		assertThat(admin().queues().marks(this.queue)).filteredOn(this::isOwn)
			.anySatisfy((mark) -> assertThat(mark.version()).isEqualTo("1.2.3"))
			.anySatisfy((mark) -> assertThat(mark.detail()).isEqualTo("BURY"));
	}

	/**
	 * Without the instances of other tests.
	 */
	private List<HistoryMark.Kind> kinds() {
		return admin().queues().marks(this.queue).stream().filter(this::isOwn).map(HistoryMark::kind).toList();
	}

	private boolean isOwn(HistoryMark mark) {
		return mark.application() == null ? !mark.kind().name().startsWith("INSTANCE_")
				: mark.application().equals(this.queue);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void partitionsAddUp() {
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.queues." + this.queue + ".partitions", 3)
			.with("redelay.queue.queues." + this.queue + ".ordering-key", "#{payload}")
			.start()) {
			application.queues().sendAll(messages(30));
			await().until(() -> application.bean(QueueAdmin.class).queues().info(this.queue).ready() == 30);
		}
		String other = TestRedis.queue();
		use(other);
		Map<String, QueueHistory> histories;
		try (ListenerApplication application = application()) {
			histories = application.bean(QueueAdmin.class).queues().histories(List.of(this.queue, other));
		}
		assertThat(histories).containsOnlyKeys(this.queue, other);
		assertThat(redis.client().getKeys().countExists("redelay:{" + this.queue + "~1}:stats")).isEqualTo(1);
		assertThat(sum(histories.get(this.queue), QueueMinute::sent)).isEqualTo(30);
		assertThat(last(histories.get(this.queue)).ready()).isEqualTo(30);
		assertThat(last(histories.get(other)).ready()).isEqualTo(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void groupsOfTopicsHaveAHistory() {
		String topic = TestRedis.queue();
		store().topics().subscribe().run(topic, "mail", Duration.ofDays(1), DeclaredFilter.NONE).join();
		try (ListenerApplication application = application()) {
			application.queues().publish(OutboundMessage.to(topic, "news"));
		}
		assertThat(sum(admin().queues().history(topic + "@mail"), QueueMinute::sent)).isEqualTo(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void nothingIsWrittenWhereCountingIsSwitchedOff() {
		looking.queues().send(this.queue, "a");
		try (ListenerApplication application = ListenerApplication.on(redis)
			.with("redelay.queue.stats.enabled", "false")
			.start()) {
			application.queues().send(this.queue, "b");
		}
		assertThat(redis.client().getKeys().countExists("redelay:{" + this.queue + "}:stats")).isZero();
		assertThat(sum(admin().queues().history(this.queue), QueueMinute::sent)).isZero();
	}

	@Test
	void aFullRedisTakesCounts() {
		try (RedisServer server = RedisServer.start()) {
			RedissonClient client = TestRedis.connect(server.uri());
			try (ListenerApplication application = ListenerApplication.on(client).start()) {
				application.queues().send(this.queue, "a");
				server.command("CONFIG", "SET", "maxmemory", "1");
				new StatsKey(application.bean(AdminScripts.class).runner())
					.add(this.queue, "one", 1, List.of(span(0, 3)))
					.join();
				assertThat(sum(application.bean(QueueAdmin.class).queues().history(this.queue), QueueMinute::sent))
					.isGreaterThanOrEqualTo(3);
			}
			finally {
				client.shutdown();
			}
		}
	}

	private ListenerApplication application() {
		return ListenerApplication.on(redis).start();
	}

	private List<OutboundMessage> messages(int count) {
		List<OutboundMessage> messages = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			messages.add(OutboundMessage.to(this.queue, "message " + i));
		}
		return messages;
	}

	private static void use(String queue) {
		looking.queues().send(queue, "a");
	}

	private static CountsWriter.Span span(long ageMillis, long sent) {
		return new CountsWriter.Span(ageMillis,
				new QueueCounts(sent, 0, 0, 0, 0, QueueCounts.Times.NONE, QueueCounts.Times.NONE));
	}

	private static QueueAdmin admin() {
		return looking.bean(QueueAdmin.class);
	}

	private static AdminScripts store() {
		return looking.bean(AdminScripts.class);
	}

	private static QueueMinute last(QueueHistory history) {
		return history.minutes().get(QueueHistory.MINUTES - 1);
	}

	private static long sum(QueueHistory history, ToLongFunction<QueueMinute> number) {
		return history.minutes().stream().mapToLong(number).sum();
	}

	static class Losing {

		final CountDownLatch lost = new CountDownLatch(4);

		@QueueListener(queues = "${the.queue}", ackMode = AckMode.BEFORE_HANDLING)
		void handle(String message) {
			this.lost.countDown();
			throw new IllegalStateException("lost");
		}

	}

	static class Handler {

		final CountDownLatch done = new CountDownLatch(7);

		@QueueListener(queues = "${the.queue}")
		void handle(String message) {
			this.done.countDown();
			if (message.equals("rejected")) {
				throw new RejectMessageException("no");
			}
		}

	}

}
