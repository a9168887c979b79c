package io.redelay.queue.admin.engine;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.redelay.queue.admin.HistoryMark;
import io.redelay.queue.admin.LongHistory;
import io.redelay.queue.admin.QueueMinute;
import io.redelay.queue.admin.engine.access.QueueMarks;
import io.redelay.queue.admin.engine.instance.InstanceKeys;
import io.redelay.queue.measure.CountsWriter;
import io.redelay.queue.measure.QueueCounts;
import io.redelay.queue.script.admin.AdminScripts;
import io.redelay.queue.script.admin.MarksKey;
import io.redelay.queue.script.admin.StatsKey;
import io.redelay.queue.simulation.MemoryRedis;
import io.redelay.queue.wire.SimulatedConnection;
import io.redelay.test.VirtualTime;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for the history of days and months and its marks, on a Redis in memory whose
 * clock the tests move.
 */
class LongHistoryTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration LEASE = Duration.ofSeconds(45);

	private static final InstanceKeys.Identity SHOP = identity("host-1", "1.0");

	private final MemoryRedis redis = new MemoryRedis();

	private final AdminScripts store = SimulatedConnection.admin(
			(script, name, text, keys, args) -> CompletableFuture
				.completedFuture(this.redis.run(name, text, this.now.toEpochMilli(), keys, args).value()),
			"redelay", new VirtualTime());

	private final QueueMarks marks = new QueueMarks(this.store, "host-9");

	private Instant now = Instant.parse("2026-03-01T10:07:31Z");

	private long request;

	LongHistoryTests() {
		this.redis.reset(128);
		look("SET", "redelay:{q}:known", "1");
	}

	@AfterEach
	void close() {
		this.redis.close();
	}

	/**
	 * What each step holds is compared with all that was counted in it.
	 */
	@Test
	void aYearAddsUpExactlyAndIsBounded() {
		Random random = new Random(7);
		Map<LongHistory.Span, Map<Long, QueueCounts>> model = new HashMap<>();
		Map<Integer, Integer> sizes = new HashMap<>();
		Instant end = this.now.plus(Duration.ofDays(365));
		for (int i = 0; this.now.isBefore(end); i++) {
			List<CountsWriter.Span> spans = new ArrayList<>();
			for (int j = 0; j <= random.nextInt(3); j++) {
				spans.add(new CountsWriter.Span(random.nextInt(3_600_000), counts(random)));
			}
			add("one", spans);
			for (LongHistory.Span span : LongHistory.Span.values()) {
				spans.forEach((each) -> model.computeIfAbsent(span, (all) -> new HashMap<>())
					.merge(step(this.now.minusMillis(each.ageMillis()), span), each.counts(), QueueCounts::plus));
			}
			if (i % 100 == 99) {
				for (LongHistory.Span span : LongHistory.Span.values()) {
					assertSame(read(span), model.get(span));
				}
			}
			sizes.merge(0, fields("stats:day"), Math::max);
			sizes.merge(1, fields("stats:month"), Math::max);
			this.now = this.now.plus(MINUTE.multipliedBy(1 + random.nextInt(600)));
		}
		assertThat(sizes).as("the fields are as many as the steps, and no more").isEqualTo(Map.of(0, 96, 1, 186));
	}

	private void assertSame(LongHistory read, Map<Long, QueueCounts> model) {
		assertThat(read.steps()).hasSize(read.span().steps());
		for (QueueMinute step : read.steps()) {
			QueueCounts counts = model.getOrDefault(step(step.start(), read.span()), QueueCounts.NONE);
			assertThat(step).isEqualTo(HistoryReader.minute(step.start(), counts, step.ready()));
		}
	}

	/**
	 * Up to 64 bytes Redis keeps a value beside the others, without an object of its own.
	 */
	@Test
	void theStepsOfAQueueWithTenMessagesASecondAreShort() {
		for (int i = 0; i < 31 * 24; i++) {
			long messages = 10 * 3600;
			QueueCounts.Times waits = new QueueCounts.Times(messages, messages * 15, 2_345);
			QueueCounts.Times handlings = new QueueCounts.Times(messages, messages * 35_000, 1_234_567);
			add("one", List.of(new CountsWriter.Span(0,
					new QueueCounts(messages, messages, messages / 100, messages / 1000, 9, waits, handlings))));
			this.now = this.now.plus(Duration.ofHours(1));
		}
		for (String key : List.of("stats:day", "stats:month")) {
			List<String> all = texts("HGETALL", "redelay:{q}:" + key);
			assertThat(all).isNotEmpty().allSatisfy((text) -> assertThat(text.length()).isLessThanOrEqualTo(64));
			assertThat(all.stream().mapToInt((text) -> text.length() + 2).sum()).as(key)
				.isLessThan(key.endsWith("day") ? 6_500 : 13_500);
		}
	}

	@Test
	void aRequestThatIsRepeatedCountsOnceInEachStep() {
		List<CountsWriter.Span> spans = List.of(sent(0, 5));
		for (long number : List.of(3L, 3L, 2L)) {
			new StatsKey(this.store.runner()).add("q", "one", number, spans).join();
		}
		assertThat(sum(read(LongHistory.Span.DAY))).isEqualTo(5);
		assertThat(sum(read(LongHistory.Span.MONTH))).isEqualTo(5);
		new StatsKey(this.store.runner()).add("q", "one", 4, spans).join();
		assertThat(sum(read(LongHistory.Span.MONTH))).isEqualTo(10);
	}

	/**
	 * As far ahead as the same place of the ring is used again, and no key has expired.
	 */
	@Test
	void aClockThatJumpsAMonthAheadAndBackTakesNothing() {
		for (int i = 0; i < 6 * 24; i++) {
			add("one", List.of(sent(0, 1)));
			this.now = this.now.plus(Duration.ofHours(4));
		}
		Instant right = this.now;
		this.now = right.plus(LongHistory.Span.MONTH.step().multipliedBy(LongHistory.Span.MONTH.steps()));
		add("one", List.of(sent(0, 100)));
		assertThat(sum(read(LongHistory.Span.MONTH))).isEqualTo(100);
		this.now = right;
		assertThat(sum(read(LongHistory.Span.MONTH))).isEqualTo(6 * 24);
		add("two", List.of(sent(0, 7)));
		assertThat(sum(read(LongHistory.Span.MONTH))).as("the step that was written counts again")
			.isEqualTo(6 * 24 + 7);
	}

	@Test
	void aMinuteThatAWrongClockWroteCountsAgain() {
		Instant right = this.now;
		this.now = right.plus(Duration.ofHours(100));
		add("one", List.of(sent(0, 100)));
		this.now = right;
		add("one", List.of(sent(0, 7)));
		assertThat(hour()).isEqualTo(7);
	}

	@Test
	void theHighestNumberOfReadyMessagesIsShownAndTheLastOneLasts() {
		ready(300);
		add("one", List.of(sent(0, 300)));
		this.now = this.now.plus(MINUTE);
		ready(20);
		add("one", List.of(sent(0, 1)));
		this.now = this.now.plus(Duration.ofMinutes(45));
		ready(0);
		List<QueueMinute> steps = read(LongHistory.Span.DAY).steps();
		assertThat(steps.subList(91, 96)).extracting(QueueMinute::ready).containsExactly(0L, 300L, 20L, 20L, 20L);
		add("one", List.of(sent(0, 1)));
		this.now = this.now.plus(Duration.ofMinutes(30));
		assertThat(read(LongHistory.Span.DAY).steps().subList(94, 96)).extracting(QueueMinute::ready)
			.containsExactly(0L, 0L);
	}

	/**
	 * As of a queue that is paused over a weekend. After an hour more than a day the ring
	 * of the day is still there, and after three days only that of the month.
	 */
	@Test
	void messagesThatNothingTouchesAreShownAllTheTime() {
		ready(1_000);
		add("one", List.of(sent(0, 1_000)));
		for (Duration wait : List.of(Duration.ofHours(25), Duration.ofDays(2), Duration.ofDays(28).plusHours(4))) {
			this.now = this.now.plus(wait);
			assertThat(read(LongHistory.Span.DAY).steps()).extracting(QueueMinute::ready).containsOnly(1_000L);
		}
		assertThat(read(LongHistory.Span.MONTH).steps()).extracting(QueueMinute::ready).containsOnly(1_000L);
	}

	@Test
	void aQueueThatIsNewHadNothingBefore() {
		ready(5);
		add("one", List.of(sent(0, 5)));
		this.now = this.now.plus(Duration.ofHours(22));
		List<QueueMinute> steps = read(LongHistory.Span.DAY).steps();
		assertThat(steps.subList(0, 7)).extracting(QueueMinute::ready).containsOnly(0L);
		assertThat(steps.subList(7, 96)).extracting(QueueMinute::ready).containsOnly(5L);
	}

	/**
	 * The means of a chart are weighted with them.
	 */
	@Test
	void whatTheMeansAreOfIsCounted() {
		add("one", List.of(new CountsWriter.Span(0,
				new QueueCounts(0, 1, 8, 0, 0, new QueueCounts.Times(2, 60, 40), new QueueCounts.Times(9, 90, 20)))));
		QueueMinute step = read(LongHistory.Span.DAY).steps().get(95);
		assertThat(step.waits()).isEqualTo(2);
		assertThat(step.runs()).isEqualTo(9);
		assertThat(step.meanWait()).isEqualTo(Duration.ofMillis(30));
	}

	@Test
	void partitionsAddUp() {
		long step = step(this.now, LongHistory.Span.DAY);
		StatsKey.LongRing one = new StatsKey.LongRing(this.now, 2,
				Map.of(step - 1, new StatsKey.LongRing.Step(sent(0, 4).counts(), 9, 3L)));
		StatsKey.LongRing other = new StatsKey.LongRing(this.now, 5,
				Map.of(step - 1, new StatsKey.LongRing.Step(sent(0, 6).counts(), 1, null), step,
						new StatsKey.LongRing.Step(sent(0, 1).counts(), 5, 5L)));
		List<QueueMinute> steps = LongHistoryReader.history("q", List.of(one, other), LongHistory.Span.DAY).steps();
		assertThat(steps.subList(94, 96)).extracting(QueueMinute::sent).containsExactly(10L, 1L);
		assertThat(steps.subList(94, 96)).extracting(QueueMinute::ready).containsExactly(9L, 8L);
	}

	@Test
	void whatIsInAForeignFormBeginsAnew() {
		look("HSET", "redelay:{q}:stats:day", String.valueOf(step(this.now, LongHistory.Span.DAY) % 96), "?,!,");
		assertThat(sum(read(LongHistory.Span.DAY))).isZero();
		add("one", List.of(sent(0, 3)));
		assertThat(sum(read(LongHistory.Span.DAY))).isEqualTo(3);
	}

	@Test
	void aForeignKeyInPlaceOfADayTakesNothingFromTheHourAndTheMonth() {
		look("SET", "redelay:{q}:stats:day", "foreign");
		add("one", List.of(sent(0, 3)));
		add("one", List.of(sent(0, 4)));
		assertThat(hour()).isEqualTo(7);
		assertThat(sum(read(LongHistory.Span.MONTH))).isEqualTo(7);
		assertThat(look("GET", "redelay:{q}:stats:day")).isEqualTo("foreign".getBytes(StandardCharsets.UTF_8));
	}

	/**
	 * Else the next try would be taken for a repeated one.
	 */
	@Test
	void aRequestThatFailsIsNotRememberedAsDone() {
		look("SET", "redelay:{q}:scheduled", "foreign");
		assertThatException().isThrownBy(() -> add("one", List.of(sent(0, 3))));
		assertThat(fields("stats")).isZero();
		look("DEL", "redelay:{q}:scheduled");
		this.request--;
		add("one", List.of(sent(0, 3)));
		assertThat(hour()).isEqualTo(3);
	}

	private long hour() {
		return HistoryReader.history("q", List.of(new StatsKey(this.store.runner()).read("q").join()))
			.minutes()
			.get(59)
			.sent();
	}

	@Test
	void theKeysExpire() {
		add("one", List.of(sent(0, 3)));
		this.now = this.now.plus(Duration.ofHours(26));
		assertThat(fields("stats:day")).isZero();
		assertThat(fields("stats:month")).isOne();
		this.now = this.now.plus(Duration.ofDays(31));
		assertThat(fields("stats:month")).isZero();
	}

	@Test
	void instancesComeAndGo() {
		announce("a", SHOP);
		announce("a", SHOP);
		this.now = this.now.plusSeconds(5);
		announce("b", identity("host-2", "1.1"));
		announce("c", identity("host-3", "1.1"));
		stop("a", SHOP);
		stop("a", SHOP);
		assertThat(this.marks.read("q")).extracting(HistoryMark::kind)
			.containsExactly(HistoryMark.Kind.INSTANCE_STARTED, HistoryMark.Kind.DEPLOYED,
					HistoryMark.Kind.INSTANCE_STARTED, HistoryMark.Kind.INSTANCE_STOPPED);
		assertThat(this.marks.read("q").get(1))
			.isEqualTo(new HistoryMark(this.now, HistoryMark.Kind.DEPLOYED, "host-2", "shop", "1.1", "1.0"));
	}

	@Test
	void anInstanceThatIsKilledIsNotHeardOfAnyMoreAndMayComeBack() {
		announce("a", SHOP);
		Instant until = this.now.plus(LEASE);
		this.now = this.now.plus(Duration.ofHours(1));
		announce("b", identity("host-2", ""));
		announce("a", SHOP);
		List<HistoryMark> all = this.marks.read("q");
		assertThat(all).extracting(HistoryMark::kind)
			.containsExactly(HistoryMark.Kind.INSTANCE_STARTED, HistoryMark.Kind.INSTANCE_SILENT,
					HistoryMark.Kind.INSTANCE_STARTED, HistoryMark.Kind.INSTANCE_RETURNED);
		assertThat(all.get(1))
			.isEqualTo(new HistoryMark(until, HistoryMark.Kind.INSTANCE_SILENT, "host-1", "shop", "1.0", null));
		assertThat(all.get(3).instance()).isEqualTo("host-1");
	}

	@Test
	void marksAreBoundedAndDeploysStayForLonger() {
		for (int i = 0; i < 500; i++) {
			announce("instance-" + i, identity("host", "1." + i / 100));
			stop("instance-" + i, identity("host", "1." + i / 100));
		}
		assertThat(this.marks.read("q")).hasSize(200);
		assertThat(this.marks.read("q")).filteredOn((mark) -> mark.kind() == HistoryMark.Kind.DEPLOYED)
			.extracting(HistoryMark::version)
			.containsExactly("1.1", "1.2", "1.3", "1.4");
		for (int i = 0; i < 300; i++) {
			this.marks.note("q", HistoryMark.Kind.PAUSED, "");
		}
		assertThat(this.marks.read("q")).hasSize(400);
		this.now = this.now.plus(Duration.ofDays(33));
		assertThat(this.marks.read("q")).isEmpty();
	}

	/**
	 * More deploys than there is room for take no more than half of it.
	 */
	@Test
	void deploysDoNotPushOutThatAnInstanceWasKilled() {
		for (int i = 0; i < 300; i++) {
			announce("deployed-" + i, identity("host", "1." + i));
			stop("deployed-" + i, identity("host", "1." + i));
		}
		announce("killed", identity("host-k", "1.299"));
		this.now = this.now.plus(Duration.ofHours(1));
		for (int i = 0; i < 20; i++) {
			announce("more-" + i, identity("host", "1.299"));
		}
		assertThat(this.marks.read("q")).hasSize(200)
			.contains(new HistoryMark(this.now.minus(Duration.ofHours(1)).plus(LEASE), HistoryMark.Kind.INSTANCE_SILENT,
					"host-k", "shop", "1.299", null));
		assertThat(this.marks.read("q")).filteredOn((mark) -> mark.kind() == HistoryMark.Kind.DEPLOYED)
			.hasSizeBetween(90, 101);
	}

	/**
	 * Else they would take the places of those that are shown.
	 */
	@Test
	void marksThatAreTooOldToBeShownGo() {
		this.marks.note("q", HistoryMark.Kind.PAUSED, "");
		announce("a", SHOP);
		this.now = this.now.plus(Duration.ofDays(20));
		this.marks.note("q", HistoryMark.Kind.RESUMED, "");
		announce("b", SHOP);
		this.now = this.now.plus(Duration.ofDays(13));
		this.marks.note("q", HistoryMark.Kind.PAUSED, "");
		announce("c", SHOP);
		assertThat(look("LLEN", "redelay:{q}:marks")).isEqualTo(2L);
		assertThat(texts("LRANGE", "redelay:{:instances}:marks", "0", "-1")).hasSize(2)
			.noneMatch((text) -> text.contains("\0a\0"));
	}

	@Test
	void aForeignKeyInPlaceOfMarksStopsNeitherAnnouncementsNorReaders() {
		announce("before", SHOP);
		look("SET", "redelay:{:instances}:marks", "foreign");
		look("SET", "redelay:{q}:marks", "foreign");
		this.now = this.now.plus(Duration.ofHours(1));
		announce("a", SHOP);
		assertThat(texts("ZRANGE", "redelay:{:instances}", "0", "-1")).containsExactly("a");
		assertThat(look("GET", "redelay:{:instances}:a")).isEqualTo("{}".getBytes(StandardCharsets.UTF_8));
		this.marks.note("q", HistoryMark.Kind.PAUSED, "");
		assertThat(this.marks.read("q")).isEmpty();
		stop("a", SHOP);
		assertThat(look("EXISTS", "redelay:{:instances}", "redelay:{:instances}:a")).isEqualTo(0L);
		assertThat(look("GET", "redelay:{:instances}:marks")).isEqualTo("foreign".getBytes(StandardCharsets.UTF_8));
	}

	@Test
	void anInstanceThatComesBackIsNoDeploy() {
		announce("a", SHOP);
		this.now = this.now.plus(Duration.ofHours(1));
		announce("b", identity("host-2", "1.1"));
		announce("a", SHOP);
		assertThat(this.marks.read("q")).extracting(HistoryMark::kind)
			.containsExactly(HistoryMark.Kind.INSTANCE_STARTED, HistoryMark.Kind.INSTANCE_SILENT,
					HistoryMark.Kind.DEPLOYED, HistoryMark.Kind.INSTANCE_RETURNED);
	}

	@Test
	void versionsBesideEachOtherAreDeployedOnce() {
		announce("a", SHOP);
		announce("b", identity("host-2", "1.1"));
		announce("c", SHOP);
		announce("d", identity("host-4", "1.1"));
		assertThat(kinds(HistoryMark.Kind.DEPLOYED)).isEqualTo(1);
		stop("a", SHOP);
		stop("c", SHOP);
		announce("f", SHOP);
		assertThat(kinds(HistoryMark.Kind.DEPLOYED)).as("back to the version before").isEqualTo(2);
	}

	@Test
	void applicationsWithoutANameAreNotDeployed() {
		announce("a", new InstanceKeys.Identity("host-1", "", "1.0"));
		announce("b", new InstanceKeys.Identity("host-2", "", "2.0"));
		assertThat(kinds(HistoryMark.Kind.DEPLOYED)).isZero();
	}

	@Test
	void theVersionOfAnApplicationIsKnownHoweverManyOthersStart() {
		announce("rare", new InstanceKeys.Identity("host", "rare", "1.0"));
		for (int i = 0; i < 300; i++) {
			announce("instance-" + i, SHOP);
		}
		announce("next", new InstanceKeys.Identity("host", "rare", "1.1"));
		assertThat(this.marks.read("q")).hasSize(200)
			.contains(new HistoryMark(this.now, HistoryMark.Kind.DEPLOYED, "host", "rare", "1.1", "1.0"));
	}

	@Test
	void theVersionOfAnApplicationIsKnownHoweverLongItRan() {
		announce("rare", new InstanceKeys.Identity("host", "rare", "1.0"));
		for (int i = 0; i < 6; i++) {
			this.now = this.now.plus(Duration.ofDays(10));
			announce("instance-" + i, SHOP);
		}
		announce("next", new InstanceKeys.Identity("host", "rare", "1.1"));
		assertThat(this.marks.read("q"))
			.contains(new HistoryMark(this.now, HistoryMark.Kind.DEPLOYED, "host", "rare", "1.1", "1.0"));
	}

	private long kinds(HistoryMark.Kind kind) {
		return this.marks.read("q").stream().filter((mark) -> mark.kind() == kind).count();
	}

	/**
	 * By the clock of Redis, on both sides of a full minute and with clocks that differ.
	 */
	@Test
	void thatRedisWentBackIsNotedOnceAMinute() {
		for (int seconds = 0; seconds < 118; seconds++) {
			this.marks.note("q", HistoryMark.Kind.REDIS_WENT_BACK, "");
			this.marks.note("q", HistoryMark.Kind.PAUSED, "");
			this.now = this.now.plusSeconds(1);
		}
		assertThat(kinds(HistoryMark.Kind.REDIS_WENT_BACK)).isEqualTo(2);
		assertThat(kinds(HistoryMark.Kind.PAUSED)).isEqualTo(118);
		new MarksKey(this.store.runner()).note("q", "again", "CLOSED", "", "").join();
		new MarksKey(this.store.runner()).note("q", "again", "CLOSED", "", "").join();
		assertThat(kinds(HistoryMark.Kind.CLOSED)).as("a request that is made again").isEqualTo(1);
	}

	@Test
	void marksOfAQueueAreNotedOnceAndOldOnesAreNotShown() {
		this.marks.note("q", HistoryMark.Kind.REDIS_WENT_BACK, "");
		this.marks.note("q", HistoryMark.Kind.REDIS_WENT_BACK, "");
		this.marks.note("q", HistoryMark.Kind.JOB_STARTED, "two\nlines\0and an end");
		this.marks.note("gone", HistoryMark.Kind.PAUSED, "");
		assertThat(this.marks.read("gone")).isEmpty();
		assertThat(this.marks.read("q")).containsExactly(
				new HistoryMark(this.now, HistoryMark.Kind.REDIS_WENT_BACK, "host-9", null, null, null),
				new HistoryMark(this.now, HistoryMark.Kind.JOB_STARTED, "host-9", null, null,
						"two\\nlines\\u0000and an end"));
		this.now = this.now.plus(Duration.ofDays(31)).plusSeconds(1);
		this.marks.note("q", HistoryMark.Kind.RESUMED, "");
		assertThat(this.marks.read("q")).extracting(HistoryMark::kind).containsExactly(HistoryMark.Kind.RESUMED);
	}

	private static InstanceKeys.Identity identity(String name, String version) {
		return new InstanceKeys.Identity(name, "shop", version);
	}

	private void announce(String instance, InstanceKeys.Identity identity) {
		new InstanceKeys(this.store.runner()).announce(instance, "{}", LEASE, identity).join();
	}

	private void stop(String instance, InstanceKeys.Identity identity) {
		new InstanceKeys(this.store.runner()).announce(instance, "", LEASE, identity).join();
	}

	private static QueueCounts counts(Random random) {
		QueueCounts.Times waits = new QueueCounts.Times(random.nextInt(50), random.nextInt(90_000),
				random.nextInt(999));
		QueueCounts.Times handlings = new QueueCounts.Times(random.nextInt(50), random.nextInt(1 << 30),
				random.nextInt(1 << 20));
		return new QueueCounts(random.nextInt(100), random.nextInt(100), random.nextInt(5), random.nextInt(2),
				random.nextInt(3), waits, handlings);
	}

	private static CountsWriter.Span sent(long ageMillis, long sent) {
		return new CountsWriter.Span(ageMillis,
				new QueueCounts(sent, 0, 0, 0, 0, QueueCounts.Times.NONE, QueueCounts.Times.NONE));
	}

	private void add(String instance, List<CountsWriter.Span> spans) {
		new StatsKey(this.store.runner()).add("q", instance, ++this.request, spans).join();
	}

	private LongHistory read(LongHistory.Span span) {
		return new LongHistoryReader(this.store).read("q", List.of("q"), span);
	}

	private static long step(Instant time, LongHistory.Span span) {
		return time.toEpochMilli() / span.step().toMillis();
	}

	private static long sum(LongHistory history) {
		return history.steps().stream().mapToLong(QueueMinute::sent).sum();
	}

	/**
	 * Has so many messages wait.
	 */
	private void ready(int messages) {
		look("DEL", "redelay:{q}:messages");
		for (int i = 0; i < messages; i++) {
			look("HSET", "redelay:{q}:messages", "uid-" + i, "");
		}
	}

	private int fields(String key) {
		return ((Long) look("HLEN", "redelay:{q}:" + key)).intValue();
	}

	private List<String> texts(String... words) {
		return ((List<?>) look(words)).stream()
			.map((text) -> new String((byte[]) text, StandardCharsets.UTF_8))
			.toList();
	}

	private Object look(String... words) {
		return this.redis
			.run("LOOK", "return redis.call(unpack(ARGV))", this.now.toEpochMilli(), List.of(),
					Stream.of(words).map((word) -> word.getBytes(StandardCharsets.UTF_8)).toList())
			.value();
	}

}
