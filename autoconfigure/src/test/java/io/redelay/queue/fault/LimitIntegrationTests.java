package io.redelay.queue.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.LimitsChange;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Limits that hold for several instances, of which some die.
 */
class LimitIntegrationTests extends FaultTests {

	private static final Pattern CLAIMS = Pattern.compile("cmdstat_eval(?:sha)?:calls=(\\d+)");

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatAKilledInstanceHeldOfALimitIsGivenBack() {
		InstanceProcess victim = process(SlowListener.class, "test.handling=10m", "test.max=3");
		ConfigurableApplicationContext survivor = instance(SlowListener.class, "test.listening=false",
				"test.handling=50ms", "test.max=3", "redelay.queue.safety-poll-interval=10m");
		RedissonClient redisson = redisson(survivor);
		List<String> numbers = IntStream.range(0, 20).mapToObj(String::valueOf).toList();
		queue(survivor).sendAll(numbers.stream().map((number) -> OutboundMessage.to(this.queue, number)).toList());
		Awaitility.await().until(() -> Journal.read(redisson, this.queue, "begin").size() >= 3);
		container(survivor).start();
		List<Long> held = new ArrayList<>();
		Awaitility.await().pollDelay(LEASE.dividedBy(2)).until(() -> held.add(held()));
		assertThat(Journal.read(redisson, this.queue, "begin")).as("the victim lives, and has all there may be")
			.hasSize(3);
		victim.kill();
		Awaitility.await().until(() -> {
			held.add(held());
			return Journal.payloads(redisson, this.queue, "done").containsAll(numbers);
		});
		assertThat(held).as("held at a time").allMatch((n) -> n <= 3).contains(3L);
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void whatAKilledInstanceHeldOfALimitThatIsSetAtRunTimeIsGivenBack() {
		InstanceProcess victim = process(UnlimitedListener.class, "test.handling=10m");
		ConfigurableApplicationContext survivor = instance(UnlimitedListener.class, "test.listening=false",
				"test.handling=50ms", "redelay.queue.safety-poll-interval=10m");
		RedissonClient redisson = redisson(survivor);
		QueueAdmin admin = survivor.getBean(QueueAdmin.class);
		queue(survivor).send(this.queue, "first");
		Awaitility.await().until(() -> Journal.read(redisson, this.queue, "begin").size() == 1);
		admin.limits().change(this.queue, LimitsChange.none().maxInFlight(3));
		List<String> numbers = IntStream.range(0, 20).mapToObj(String::valueOf).toList();
		queue(survivor).sendAll(numbers.stream().map((number) -> OutboundMessage.to(this.queue, number)).toList());
		Awaitility.await().until(() -> Journal.read(redisson, this.queue, "begin").size() == 3);
		container(survivor).start();
		List<Long> held = new ArrayList<>();
		Awaitility.await().pollDelay(LEASE.dividedBy(2)).until(() -> held.add(held()));
		assertThat(Journal.read(redisson, this.queue, "begin")).as("the victim lives, and has all there may be")
			.hasSize(3);
		victim.kill();
		Awaitility.await().until(() -> {
			held.add(held());
			return Journal.payloads(redisson, this.queue, "done").containsAll(numbers);
		});
		assertThat(held).as("held at a time").allMatch((n) -> n <= 3).contains(3L);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRateThatIsSetAtRunTimeHoldsForTwoInstancesOfWhichOneIsKilled() {
		InstanceProcess victim = process(UnlimitedListener.class, "test.handling=1ms");
		ConfigurableApplicationContext survivor = instance(UnlimitedListener.class, "test.handling=1ms");
		RedissonClient redisson = redisson(survivor);
		queue(survivor).send(this.queue, "first");
		Awaitility.await().until(() -> Journal.read(redisson, this.queue, "begin").size() == 1);
		survivor.getBean(QueueAdmin.class)
			.limits()
			.change(this.queue, LimitsChange.none().rateLimit(30, Duration.ofSeconds(1)));
		List<String> numbers = IntStream.range(0, 150).mapToObj(String::valueOf).toList();
		long start = System.nanoTime();
		queue(survivor).sendAll(numbers.stream().map((number) -> OutboundMessage.to(this.queue, number)).toList());
		Awaitility.await().until(() -> Journal.read(redisson, this.queue, "begin").size() > 40);
		victim.kill();
		Awaitility.await().until(() -> Journal.payloads(redisson, this.queue, "done").containsAll(numbers));
		assertThat(System.nanoTime() - start).as("150 at 30 a second take four seconds and more")
			.isGreaterThanOrEqualTo(Duration.ofSeconds(4).toNanos());
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aRateHoldsForTwoInstancesTogetherAndBothGetOn() {
		int messages = 300;
		ConfigurableApplicationContext one = instance(CountingListener.class, "test.rate=100/500ms",
				"test.listening=false");
		ConfigurableApplicationContext other = instance(CountingListener.class, "test.rate=100/500ms",
				"test.listening=false");
		queue(one)
			.sendAll(IntStream.range(0, messages).mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i)).toList());
		long start = System.nanoTime();
		container(one).start();
		container(other).start();
		LongAdder first = one.getBean(CountingListener.class).handled;
		LongAdder second = other.getBean(CountingListener.class).handled;
		Awaitility.await().until(() -> first.sum() + second.sum() >= messages);
		assertThat(System.nanoTime() - start).as("the last of three hundred comes two windows after the first")
			.isGreaterThanOrEqualTo(Duration.ofSeconds(1).toNanos() * 99 / 100);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aLimitedQueueThatWaitsCostsFewCommandsAndItsNeighbourIsNotHeldUp() {
		ConfigurableApplicationContext application = instance(TwoQueues.class, "test.rate=2/1h bursting");
		TwoQueues listener = application.getBean(TwoQueues.class);
		queue(application)
			.sendAll(IntStream.range(0, 10).mapToObj((i) -> OutboundMessage.to(this.queue, "m" + i)).toList());
		Awaitility.await().until(() -> listener.limited.sum() == 2);
		// Whatever its handlers have settled by now, it has asked once more and sleeps.
		Awaitility.await()
			.until(() -> this.redis.command("ZSCORE", "redelay:{" + this.queue + "}:sleepers", sleeper()) != null);
		this.redis.command("CONFIG", "RESETSTAT");
		long start = System.nanoTime();
		IntStream.range(0, 20).forEach((i) -> queue(application).send(this.queue + ".other", "n" + i));
		Awaitility.await().until(() -> listener.unlimited.sum() == 20);
		Awaitility.await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
		long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start) + 1;
		assertThat(scripts()).as("20 sends and their claims, and looks underneath")
			.isLessThanOrEqualTo(20 * 6 + 4 * seconds);
		assertThat(listener.limited.sum()).isEqualTo(2);
	}

	private String sleeper() {
		Object first = this.redis.command("ZRANGE", "redelay:{" + this.queue + "}:sleepers", "0", "0");
		return (first instanceof List<?> list && !list.isEmpty()) ? String.valueOf(list.get(0)) : "none";
	}

	private long scripts() {
		Matcher calls = CLAIMS.matcher(String.valueOf(this.redis.command("INFO", "commandstats")));
		long scripts = 0;
		while (calls.find()) {
			scripts += Long.parseLong(calls.group(1));
		}
		return scripts;
	}

	private long held() {
		String base = "redelay:{" + this.queue + "}:";
		return (long) this.redis.command("EVAL", "return redis.call('HLEN', KEYS[1]) - redis.call('ZCARD', KEYS[2])",
				"2", base + "held", base + "lanes");
	}

	private static QueueListenerContainer container(ConfigurableApplicationContext application) {
		return application.getBean(QueueListenerEndpointRegistry.class).getContainers().iterator().next();
	}

	@Import(Journal.class)
	static class SlowListener {

		private final Journal journal;

		private final Duration handling;

		SlowListener(Journal journal, @Value("${test.handling}") Duration handling) {
			this.journal = journal;
			this.handling = handling;
		}

		@QueueListener(queues = "${test.queue}", maxInFlight = "${test.max}", autoStartup = "${test.listening:true}")
		void handle(String number) throws InterruptedException {
			this.journal.write("begin", number);
			TimeUnit.NANOSECONDS.sleep(this.handling.toNanos());
			this.journal.write("done", number);
		}

	}

	@Import(Journal.class)
	static class UnlimitedListener {

		private final Journal journal;

		private final Duration handling;

		UnlimitedListener(Journal journal, @Value("${test.handling}") Duration handling) {
			this.journal = journal;
			this.handling = handling;
		}

		@QueueListener(queues = "${test.queue}", concurrency = "10", autoStartup = "${test.listening:true}")
		void handle(String number) throws InterruptedException {
			this.journal.write("begin", number);
			TimeUnit.NANOSECONDS.sleep(this.handling.toNanos());
			this.journal.write("done", number);
		}

	}

	static class CountingListener {

		final LongAdder handled = new LongAdder();

		@QueueListener(queues = "${test.queue}", rateLimit = "${test.rate}", autoStartup = "${test.listening:true}")
		void handle(String payload) {
			this.handled.increment();
		}

	}

	static class TwoQueues {

		final LongAdder limited = new LongAdder();

		final LongAdder unlimited = new LongAdder();

		@QueueListener(queues = "${test.queue}", rateLimit = "${test.rate}")
		void limited(String payload) {
			this.limited.increment();
		}

		@QueueListener(queues = "${test.queue}.other")
		void unlimited(String payload) {
			this.unlimited.increment();
		}

	}

}
