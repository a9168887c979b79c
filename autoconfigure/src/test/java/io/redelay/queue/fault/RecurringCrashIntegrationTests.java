package io.redelay.queue.fault;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.recurring.MissedTicks;
import io.redelay.queue.recurring.RecurringDeclaration;
import io.redelay.queue.recurring.RecurringMessage;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.queue.recurring.RecurringTick;
import io.redelay.queue.recurring.engine.RecurringMaintenance;
import io.redelay.queue.recurring.engine.RecurringMaintenanceDriver;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.redisson.api.RedissonClient;
import org.redisson.api.redisnode.RedisNodes;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Recurring messages on two instances of which one dies, and what a thousand of them cost
 * a Redis that has nothing else to do.
 */
@Tag("full")
class RecurringCrashIntegrationTests extends FaultTests {

	private static final Duration EVERY = Duration.ofMillis(100);

	@Test
	void noTickIsLostOrSentTwiceWhenAnInstanceDies() {
		ConfigurableApplicationContext survivor = instance(Ticking.class, "test.listening=false");
		RedissonClient redisson = redisson(survivor);
		// It always has some in hand.
		InstanceProcess victim = process(Ticking.class, "test.instance=victim", "test.handling=300ms");
		Awaitility.await().until(() -> byInstance(redisson, "begin", "victim") >= 5);
		survivor.getBean(QueueListenerEndpointRegistry.class).getContainers().forEach((container) -> container.start());
		Awaitility.await().until(() -> byInstance(redisson, "begin", "here") >= 3);
		victim.kill();
		Instant killed = Instant.now();
		Awaitility.await()
			.until(() -> Journal.payloads(redisson, this.queue, "done")
				.stream()
				.anyMatch((tick) -> Instant.parse(tick).isAfter(killed.plus(LEASE))));
		survivor.getBean(RecurringMessages.class).remove(this.queue, "tick");
		Awaitility.await().untilAsserted(() -> {
			QueueInfo info = survivor.getBean(QueueAdmin.class).queues().info(this.queue);
			assertThat(info.ready() + info.scheduled() + info.inFlight()).as(info.toString()).isZero();
		});
		List<Instant> done = Journal.payloads(redisson, this.queue, "done")
			.stream()
			.map(Instant::parse)
			.distinct()
			.sorted()
			.toList();
		List<Instant> begun = Journal.payloads(redisson, this.queue, "begin").stream().map(Instant::parse).toList();
		// The victim may have died between the end of a handler and its acknowledgement.
		assertThat(Journal.read(redisson, this.queue, "done"))
			.as("each tick is a message of its own, handled once by an instance")
			.doesNotHaveDuplicates();
		for (int i = 1; i < done.size(); i++) {
			assertThat(Duration.between(done.get(i - 1), done.get(i))).as("no tick between").isEqualTo(EVERY);
		}
		assertThat(begun.stream().distinct().toList()).hasSameSizeAs(done);
		assertThat(begun.size() - done.size()).as("only what the victim had in hand came again").isBetween(0, 4);
	}

	@Test
	void aThousandRecurringMessagesCostAnIdleInstanceNearlyNothing() {
		ConfigurableApplicationContext instance = instance(Ticking.class, "test.listening=false");
		RedissonClient redisson = redisson(instance);
		RecurringMessages recurring = instance.getBean(RecurringMessages.class);
		Awaitility.await().until(() -> !recurring.list().isEmpty());
		assertThat(recurring.remove(this.queue, "tick")).isTrue();
		List<String> queues = IntStream.range(0, 1000).mapToObj((i) -> TestRedis.queue()).toList();
		queues.parallelStream()
			.forEach((queue) -> recurring.declare(RecurringDeclaration.cron(queue, "nightly", "0 0 2 * * *")));
		assertThat(recurring.list()).hasSize(1000);
		// Once it is idle; the last of the declarations may still be on their way.
		Awaitility.await().untilAsserted(() -> {
			long before = commands(redisson);
			long begun = System.nanoTime();
			Awaitility.await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
			double seconds = (System.nanoTime() - begun) / 1e9;
			// What asks for the number is counted, too.
			assertThat((commands(redisson) - before - 1) / seconds).as("between the rounds").isLessThan(3);
		});
		RecurringMaintenance care = instance.getBean(RecurringMaintenance.class);
		long beforeRound = commands(redisson);
		queues.forEach((queue) -> RecurringMaintenanceDriver.lookThrough(care, queue));
		assertThat((commands(redisson) - beforeRound) / (double) RecurringMaintenanceDriver.secondsOfARound())
			.as("by looking through all queues once in a round")
			.isLessThan(3);
	}

	private static long commands(RedissonClient redisson) {
		return Long.parseLong(redisson.getRedisNodes(RedisNodes.SINGLE)
			.getInstance()
			.info(org.redisson.api.redisnode.RedisNode.InfoSection.STATS)
			.get("total_commands_processed"));
	}

	private long byInstance(RedissonClient redisson, String event, String instance) {
		return Journal.read(redisson, this.queue, event)
			.stream()
			.filter((line) -> line.endsWith(" " + instance))
			.count();
	}

	@Import(Journal.class)
	static class Ticking {

		private final Journal journal;

		private final Duration handling;

		Ticking(Journal journal, @Value("${test.handling:30ms}") Duration handling) {
			this.journal = journal;
			this.handling = handling;
		}

		@RecurringMessage(name = "tick", every = "100ms", missed = MissedTicks.ALL, maxMissed = "1000",
				overlap = io.redelay.queue.recurring.OverlappingRuns.SIDE_BY_SIDE)
		@QueueListener(queues = "${test.queue}", concurrency = "4", autoStartup = "${test.listening:true}")
		void handle(RecurringTick tick) throws InterruptedException {
			this.journal.write("begin", tick.scheduledFor().toString());
			TimeUnit.NANOSECONDS.sleep(this.handling.toNanos());
			this.journal.write("done", tick.scheduledFor().toString());
		}

	}

}
