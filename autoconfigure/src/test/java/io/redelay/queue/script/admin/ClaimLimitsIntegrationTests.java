package io.redelay.queue.script.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.MessageKeys;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.script.ClaimReply;
import io.redelay.queue.script.MessageCommand;
import io.redelay.queue.script.TestQueue;
import io.redelay.queue.wire.StoreWorkbench;
import io.redelay.test.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of limits in claims, with a clock that the test sets.
 */
class ClaimLimitsIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	private static final long START = 1_800_000_000_123L;

	private final String name = TestRedis.queue();

	private final StoreWorkbench bench = new StoreWorkbench(redis.client(), this.name, timer);

	private final TestQueue queue = new TestQueue(this.name, this.bench.store);

	private long now = START;

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	@BeforeEach
	void setClock() {
		this.bench.setClock(this.now);
	}

	@ParameterizedTest
	@ValueSource(strings = { "1/50ms", "7/100ms", "100/1s", "1000/1s", "7/100ms bursting", "100/1s bursting",
			"1000/1s bursting" })
	void aRateIsNeverExceededInAnyWindowAndReachedAsFarAsClaimsComeInTime(String text) {
		RateLimit rate = RateLimit.parse(text);
		send(5 * rate.count());
		List<TestQueue.Consumer> consumers = List.of(consumer(limits(rate)), consumer(limits(rate)));
		List<Long> claimed = new ArrayList<>();
		Random random = new Random(4);
		long window = rate.period().toMillis();
		long latest = Math.max(1, window / 100); // how late a claim comes
		int claims = 0;
		while (this.now < START + 4 * window) {
			ClaimReply reply = consumers.get(random.nextInt(2)).claim(1 + random.nextInt(200));
			reply.messages().forEach((message) -> claimed.add(this.now));
			claims++;
			Duration next = reply.next();
			assertThat(next).as("when to come back").isNotNull();
			move(next.toMillis() + random.nextLong(latest + 1));
		}
		for (int i = rate.count(); i < claimed.size(); i++) {
			assertThat(claimed.get(i) - claimed.get(i - rate.count())).as("%d messages", rate.count() + 1)
				.isGreaterThanOrEqualTo(window);
		}
		assertThat(claimed.size()).isGreaterThanOrEqualTo((int) (4 * rate.count() * 0.95));
		assertThat(claims).as("claims, which sleep until they get something")
			.isLessThanOrEqualTo((int) (4 * window / Math.min(20, window / rate.count() + 1)) + 2 * 60);
	}

	@Test
	void aBurstingRateLetsAllComeAtOnceAndASmoothOneDoesNot() {
		send(100);
		assertThat(consumer(limits(RateLimit.parse("50/1s"))).claim(100).messages()).hasSizeBetween(1, 3);
		assertThat(consumer(limits(RateLimit.parse("50/1s bursting"))).claim(100).messages()).hasSize(50);
	}

	@Test
	void aRateThatNothingWaitsForIsNoReasonToComeBack() {
		TestQueue.Consumer consumer = consumer(limits(RateLimit.parse("1/1h")));
		send(1);
		assertThat(consumer.claim(5).messages()).hasSize(1);
		assertThat(consumer.claim(5).next()).as("nothing is there").isNull();
		this.queue.sender().send(this.queue.message("later", Duration.ofMinutes(1)));
		assertThat(consumer.claim(5).next()).as("and then not before the rate allows it")
			.isGreaterThan(Duration.ofMinutes(59));
	}

	@Test
	void whatIsKnownOfARateGoesByItself() {
		send(10);
		consumer(limits(RateLimit.parse("2/1s"))).claim(5);
		consumer(limits(RateLimit.parse("2/1s bursting"))).claim(5);
		assertThat(redis.client().getBucket(this.queue.key("rates")).remainTimeToLive()).isPositive();
		assertThat(redis.client().getBucket(this.queue.key("bursts")).remainTimeToLive()).isPositive();
	}

	@ParameterizedTest
	@ValueSource(strings = { "10/1s", "10/1s bursting" })
	void aClockThatGoesBackDoesNotStopTheQueue(String rate) {
		send(30);
		TestQueue.Consumer consumer = consumer(limits(RateLimit.parse(rate)));
		while (!consumer.claim(10).messages().isEmpty()) {
			// All that the rate allows.
		}
		move(-Duration.ofHours(1).toMillis());
		Duration next = consumer.claim(10).next();
		assertThat(next).isNotNull().isLessThanOrEqualTo(Duration.ofMillis(1002));
		move(next.toMillis());
		assertThat(consumer.claim(10).messages()).isNotEmpty();
	}

	@Test
	void noMoreAreHeldThanMayBe() {
		send(20);
		ClaimLimits limits = new ClaimLimits(null, 5, null, null, null);
		TestQueue.Consumer one = consumer(limits);
		TestQueue.Consumer other = consumer(limits);
		ClaimReply first = one.claim(3);
		ClaimReply second = other.claim(10);
		assertThat(first.messages()).hasSize(3);
		assertThat(second.messages()).hasSize(2);
		ClaimReply none = one.claim(10);
		assertThat(none.messages()).isEmpty();
		assertThat(none.next()).as("until a lane dies, which may make room").isGreaterThan(Duration.ofSeconds(1));
		ClaimReply third = other.claim(10,
				Settlement.ack(second.messages().get(0).uid(), second.messages().get(0).claim()),
				Settlement.giveBack(second.messages().get(1).uid(), second.messages().get(1).claim(), Duration.ZERO));
		assertThat(third.messages()).hasSize(2);
	}

	@Test
	void whatADeadLaneHeldMakesRoom() {
		send(20);
		ClaimLimits limits = new ClaimLimits(null, 5, null, null, null);
		TestQueue.Consumer dying = consumer(limits);
		assertThat(dying.claim(10).messages()).hasSize(5);
		TestQueue.Consumer other = consumer(limits);
		Duration next = other.claim(10).next();
		assertThat(next).isNotNull();
		move(next.toMillis());
		assertThat(other.claim(10).messages()).as("suspects and others").hasSize(5);
	}

	@Test
	void aLaneWithoutRoomWakesNoOtherAndOneThatMakesRoomDoes() {
		send(20);
		ClaimLimits limits = new ClaimLimits(null, 2, null, null, null);
		TestQueue.Consumer one = consumer(limits);
		TestQueue.Consumer other = consumer(limits);
		ClaimReply first = one.claim(2);
		other.claimOrSleep(Duration.ofSeconds(5));
		assertThat(woken()).isEmpty();
		ClaimReply none = one.claim(2);
		assertThat(none.messages()).isEmpty();
		assertThat(woken()).isEmpty();
		one.claim(0, Settlement.ack(first.messages().get(0).uid(), first.messages().get(0).claim()));
		assertThat(woken()).containsExactly(other.lane);
	}

	@Test
	void twoLimitsHoldTogether() {
		send(20);
		ClaimLimits limits = new ClaimLimits(RateLimit.parse("4/1s bursting"), 3, null, null, null);
		TestQueue.Consumer consumer = consumer(limits);
		ClaimReply first = consumer.claim(10);
		assertThat(first.messages()).hasSize(3);
		List<Settlement> done = first.messages()
			.stream()
			.map((message) -> Settlement.ack(message.uid(), message.claim()))
			.toList();
		ClaimReply second = consumer.claim(10, done);
		assertThat(second.messages()).hasSize(1);
		assertThat(second.next()).isBetween(Duration.ofMillis(999), Duration.ofMillis(1002));
	}

	@Test
	void aGateHoldsAllOfTheQueueUpUntilItsTime() {
		send(20);
		TestQueue.Consumer dying = consumer(ClaimLimits.NONE);
		TestQueue.Consumer one = consumer(ClaimLimits.NONE);
		assertThat(dying.claim(3).messages()).hasSize(3);
		dying.close();
		ClaimReply first = one.claim(2);
		ClaimReply closed = one.claim(10, Settlement.waiting(first.messages().get(1).uid(),
				first.messages().get(1).claim(), Duration.ofMillis(1500), false));
		assertThat(closed.messages()).isEmpty();
		assertThat(closed.next()).isEqualTo(Duration.ofMillis(1501));
		move(1500);
		assertThat(one.claim(10).messages()).as("neither suspects nor others").isEmpty();
		move(1);
		assertThat(one.claim(100).messages()).as("all but what is held").hasSizeGreaterThan(10);
		assertThat(redis.client().getMap(this.queue.key("meta")).isExists()).isFalse();
	}

	@Test
	void openingAGateWakesSleepingLanes() {
		send(1);
		TestQueue.Consumer one = consumer(ClaimLimits.NONE);
		command(MessageCommand.gate("", Duration.ofHours(1)));
		assertThat(one.claimOrSleep(Duration.ofSeconds(5)).messages()).isEmpty();
		assertThat(woken()).isEmpty();
		command(MessageCommand.gate("", Duration.ZERO));
		assertThat(woken()).containsExactly(one.lane);
		assertThat(one.claim(10).messages()).hasSize(1);
	}

	private void command(MessageCommand command) {
		String lane = TestQueue.get(this.bench.admin.steer().openLane(this.name));
		TestQueue.get(this.bench.admin.steer().run(this.name, lane, 1, List.of(command)));
	}

	@Test
	void aKeyThatHasAsManyInHandAsItMayLetsTheOthersGoOn() {
		sendOf("a", 10);
		sendOf("b", 3);
		send(2);
		TestQueue.Consumer one = consumer(new ClaimLimits(null, null, null, 2, null));
		TestQueue.Consumer other = consumer(new ClaimLimits(null, null, null, 2, null));
		ClaimReply first = one.claim(100);
		assertThat(keysOf(first)).isEqualTo(Map.of("a", 2, "b", 2, "m", 2));
		ClaimReply none = other.claimOrSleep(Duration.ofMinutes(1));
		assertThat(none.messages()).isEmpty();
		assertThat(none.next()).as("nothing but the lease of the other").isEqualTo(TestQueue.LEASE);
		ClaimReply next = one.claim(100, settle(first, "a"));
		assertThat(keysOf(next)).as("as many as have gone").isEqualTo(Map.of("a", 2));
		assertThat(woken()).as("there is nothing for it").isEmpty();
		one.claim(0, settle(first, "b"));
		assertThat(woken()).containsExactly(other.lane);
		assertThat(keysOf(other.claim(100))).isEqualTo(Map.of("b", 1));
	}

	@Test
	void whatADeadLaneHeldOfAKeyMakesRoomAndSuspectsCount() {
		sendOf("a", 6);
		send(1);
		ClaimLimits limits = new ClaimLimits(null, null, null, 2, null);
		TestQueue.Consumer dying = consumer(limits);
		assertThat(keysOf(dying.claim(100))).isEqualTo(Map.of("a", 2, "m", 1));
		TestQueue.Consumer one = consumer(limits);
		assertThat(one.claim(100).messages()).isEmpty();
		move(TestQueue.LEASE.toMillis());
		Map<String, Integer> claimed = new HashMap<>();
		for (int i = 0; i < 5; i++) {
			keysOf(one.claim(100)).forEach((key, n) -> claimed.merge(key, n, Integer::sum));
		}
		assertThat(claimed).as("two of the key, with the suspects, and the other suspect")
			.isEqualTo(Map.of("a", 2, "m", 1));
	}

	@ParameterizedTest
	@ValueSource(strings = { "10/1s", "10/1s bursting" })
	void aRateHoldsForEachKeyAndHoldsUpNoOtherKey(String text) {
		RateLimit rate = RateLimit.parse(text);
		sendOf("a", 60);
		sendOf("b", 30);
		TestQueue.Consumer one = consumer(new ClaimLimits(null, null, rate, null, null));
		Map<String, List<Long>> claimed = new HashMap<>();
		int claims = 0;
		send(100);
		assertThat(keysOf(one.claim(1000)).get("m")).as("at once").isEqualTo(100);
		this.now = START + 10_000;
		this.bench.setClock(this.now);
		while (this.now < START + 12_000) {
			ClaimReply reply = one.claim(100);
			claims++;
			keysOf(reply).forEach((key, n) -> claimed.computeIfAbsent(key, (each) -> new ArrayList<>())
				.addAll(Collections.nCopies(n, this.now)));
			assertThat(reply.next()).isNotNull();
			move(reply.next().toMillis());
		}
		assertThat(claimed.keySet()).containsExactlyInAnyOrder("a", "b");
		claimed.values().forEach((times) -> {
			assertThat(times).hasSizeGreaterThanOrEqualTo(19);
			for (int i = 10; i < times.size(); i++) {
				assertThat(times.get(i) - times.get(i - 10)).isGreaterThanOrEqualTo(1000);
			}
		});
		assertThat(claims).isLessThan(100);
	}

	@Test
	void aGateOfAKeyHoldsUpThatKeyOnly() {
		sendOf("a", 4);
		sendOf("b", 2);
		TestQueue.Consumer one = consumer(ClaimLimits.NONE);
		ClaimReply first = one.claim(2);
		assertThat(keysOf(first)).isEqualTo(Map.of("a", 1, "b", 1));
		ClaimReply.Message a = first.messages()
			.stream()
			.filter((each) -> TestQueue.payload(each).startsWith("a"))
			.toList()
			.get(0);
		ClaimReply second = one.claim(100, Settlement.waiting(a.uid(), a.claim(), Duration.ofSeconds(3), true));
		assertThat(keysOf(second)).isEqualTo(Map.of("b", 1));
		assertThat(one.claim(100).next()).isEqualTo(Duration.ofMillis(3001));
		command(MessageCommand.gate("a", Duration.ofSeconds(5)));
		move(3001);
		assertThat(one.claim(100).messages()).as("a longer time has replaced it").isEmpty();
		command(MessageCommand.gate("a", Duration.ZERO));
		assertThat(keysOf(one.claim(100))).isEqualTo(Map.of("a", 4));
	}

	@Test
	void aShorterGateOfAKeyReplacesALongerOne() {
		sendOf("a", 2);
		TestQueue.Consumer one = consumer(ClaimLimits.NONE);
		command(MessageCommand.gate("a", Duration.ofHours(1)));
		assertThat(one.claim(100).messages()).isEmpty();
		command(MessageCommand.gate("a", Duration.ofSeconds(3)));
		assertThat(one.claim(100).next()).isEqualTo(Duration.ofMillis(3001));
		move(3001);
		assertThat(keysOf(one.claim(100))).isEqualTo(Map.of("a", 2));
	}

	@Test
	void aClockThatGoesBackHoldsUpALimitedKeyForNoLongerThanItsWindow() {
		sendOf("a", 3);
		TestQueue.Consumer one = consumer(new ClaimLimits(null, null, RateLimit.parse("1/1s"), null, null));
		ClaimReply first = one.claim(10);
		assertThat(first.messages()).hasSize(1);
		move(-3_600_000);
		assertThat(one.claim(10, settle(first, "a")).messages()).isEmpty();
		move(1_100);
		assertThat(one.claim(10).messages()).hasSize(1);
	}

	@Test
	void queuesShareARate() {
		ClaimLimits limits = shared("10/1s bursting", null);
		TestQueue second = new TestQueue(this.bench.store);
		new StoreWorkbench(redis.client(), second.name, timer).setClock(this.now);
		send(20);
		second.sender().send(second.messages(20));
		assertThat(consumer(limits).claim(7).messages()).hasSize(7);
		ClaimReply rest = second.consumer(limits).claim(100);
		assertThat(rest.messages()).hasSize(3);
		assertThat(rest.next()).isBetween(Duration.ofMillis(999), Duration.ofMillis(1002));
		assertThat(consumer(limits).claim(7).messages()).isEmpty();
	}

	@Test
	void queuesShareHowManyAreInFlightAndLeaveRoomToThoseThatWait() {
		ClaimLimits limits = shared(null, 4);
		TestQueue second = new TestQueue(this.bench.store);
		StoreWorkbench secondBench = new StoreWorkbench(redis.client(), second.name, timer);
		secondBench.setClock(this.now);
		send(20);
		second.sender().send(second.messages(20));
		TestQueue.Consumer one = consumer(limits);
		TestQueue.Consumer other = second.consumer(limits);
		ClaimReply first = one.claim(10);
		assertThat(first.messages()).hasSize(4);
		ClaimReply none = other.claimOrSleep(Duration.ofMinutes(1));
		assertThat(none.messages()).isEmpty();
		assertThat(none.next()).as("a look underneath").isEqualTo(Duration.ofSeconds(1));
		ClaimReply again = one.claim(10, settle(first, "m").subList(0, 2));
		assertThat(again.messages()).as("one of two places is left to who waits").hasSize(1);
		assertThat(other.claim(10).messages()).hasSize(1);
		assertThat(one.claim(10).messages()).isEmpty();
		this.now += TestQueue.LEASE.toMillis() + 1;
		secondBench.setClock(this.now);
		TestQueue.Consumer third = second.consumer(limits);
		int claimed = 0;
		for (int i = 0; i < 4; i++) {
			claimed += third.claim(10).messages().size();
		}
		assertThat(claimed).as("those of the queue whose lanes are dead make room").isEqualTo(4);
	}

	@Test
	void whatAQueueHoldsOfASharedLimitCountsWhileItsLaneIsRenewed() {
		ClaimLimits limits = shared(null, 2);
		TestQueue second = new TestQueue(this.bench.store);
		StoreWorkbench secondBench = new StoreWorkbench(redis.client(), second.name, timer);
		send(5);
		TestQueue.Consumer one = consumer(limits);
		assertThat(one.claim(10).messages()).hasSize(2);
		move(TestQueue.LEASE.toMillis() - 1);
		assertThat(one.renew()).isTrue();
		secondBench.setClock(this.now + 1000);
		second.sender().send(second.messages(5));
		assertThat(second.consumer(limits).claim(10).messages()).isEmpty();
	}

	private ClaimLimits shared(@Nullable String rate, @Nullable Integer maxInFlight) {
		return new ClaimLimits(null, null, null, null,
				new ClaimLimits.Shared(this.name, (rate != null) ? RateLimit.parse(rate) : null, maxInFlight));
	}

	private void sendOf(String key, int count) {
		List<NewMessage> messages = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			NewMessage plain = this.queue.message(key + i);
			messages.add(new NewMessage(plain.uid(), null, null, null, plain.envelope(),
					new MessageKeys(null, key, 1, null, null, false), null));
		}
		this.queue.sender().send(messages);
	}

	private static Map<String, Integer> keysOf(ClaimReply reply) {
		Map<String, Integer> counts = new HashMap<>();
		reply.messages()
			.forEach((message) -> counts.merge(TestQueue.payload(message).substring(0, 1), 1, Integer::sum));
		return counts;
	}

	private static List<Settlement> settle(ClaimReply reply, String key) {
		return reply.messages()
			.stream()
			.filter((message) -> TestQueue.payload(message).startsWith(key))
			.map((message) -> Settlement.ack(message.uid(), message.claim()))
			.toList();
	}

	private List<String> woken() {
		return redis.client().<String>getList(this.queue.key("test:woken"), StringCodec.INSTANCE).readAll();
	}

	private void move(long millis) {
		this.now += millis;
		this.bench.setClock(this.now);
	}

	private void send(int count) {
		List<NewMessage> messages = this.queue.messages(count);
		this.queue.sender().send(messages);
	}

	private TestQueue.Consumer consumer(ClaimLimits limits) {
		return this.queue.consumer(limits);
	}

	private static ClaimLimits limits(RateLimit rate) {
		return new ClaimLimits(rate, null, null, null, null);
	}

}
