package io.redelay.queue.store.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.redelay.queue.limits.RateLimit;
import io.redelay.queue.store.ClaimLimits;
import io.redelay.queue.store.ClaimReply;
import io.redelay.queue.store.MessageCommand;
import io.redelay.queue.store.NewMessage;
import io.redelay.queue.store.Settlement;
import io.redelay.test.TestRedis;
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
	void whoFindsNoRoomWakesNobodyAndWhoMakesRoomDoes() {
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
	void whoOpensAGateWakesThoseWhoSleep() {
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
		String lane = TestQueue.get(this.bench.admin.openLane(this.name));
		TestQueue.get(this.bench.admin.command(this.name, lane, 1, List.of(command)));
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
