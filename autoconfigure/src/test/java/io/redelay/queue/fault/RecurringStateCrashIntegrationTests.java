package io.redelay.queue.fault;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.claim.QueueListenerContainer;
import io.redelay.queue.config.QueueListenerEndpointRegistry;
import io.redelay.queue.recurring.MissedTicks;
import io.redelay.queue.recurring.RecurringInfo;
import io.redelay.queue.recurring.RecurringMessage;
import io.redelay.queue.recurring.RecurringMessages;
import io.redelay.queue.recurring.RecurringTick;
import io.redelay.queue.work.RecurringState;
import io.redelay.test.extent.Extent;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The number of runs and the state of recurring messages when instances die or stand
 * still, and when Redis goes back in time: exactly so many runs begin, and the state is
 * the number of those that were acknowledged.
 */
class RecurringStateCrashIntegrationTests extends FaultTests {

	private static final int RUNS = Extent.of(8, 60);

	private static final int VICTIMS = Extent.of(1, 2);

	@TempDir
	Path folder;

	@Override
	RedisServer startServer() {
		return RedisServer.builder().config("dir " + this.folder, "save \"\"").start();
	}

	@Test
	void exactlySoManyRunsBeginAndEachIsCountedOnceThoughInstancesAreKilled() {
		// It listens when the others are dead: else it might be through before they
		// begin.
		ConfigurableApplicationContext survivor = instance(Counting.class, "test.runs=" + RUNS, "test.listening=false");
		RedissonClient redisson = redisson(survivor);
		for (int i = 0; i < VICTIMS; i++) {
			InstanceProcess victim = process(Counting.class, "test.runs=" + RUNS, "test.instance=victim" + i,
					"test.handling=100ms");
			String name = "victim" + i;
			Awaitility.await().until(() -> count(redisson, "begin", name) >= 2);
			// In its handler, or at its end, before or after the acknowledgement.
			Awaitility.await().pollDelay(Duration.ofMillis(ThreadLocalRandom.current().nextInt(150))).until(() -> true);
			victim.kill();
		}
		startListeners(survivor);
		assertCounted(survivor, RUNS);
	}

	@Test
	@Tag("full")
	void theLateAcknowledgementOfAnInstanceThatStoodStillOverwritesNothing() {
		ConfigurableApplicationContext survivor = instance(Counting.class, "test.runs=30", "test.listening=false");
		RedissonClient redisson = redisson(survivor);
		InstanceProcess victim = process(Counting.class, "test.runs=30", "test.instance=victim", "test.handling=2s");
		Awaitility.await().until(() -> count(redisson, "begin", "victim") >= 1);
		victim.pause();
		startListeners(survivor);
		Awaitility.await().until(() -> count(redisson, "done", "here") >= 5);
		victim.resume();
		Awaitility.await().until(() -> count(redisson, "done", "victim") >= 1);
		assertCounted(survivor, 30);
		victim.kill();
	}

	@Test
	void afterARollbackTheStateIsAsOldAsTheAcknowledgementsAndNoneIsLeftOut() {
		ConfigurableApplicationContext one = instance(Waiting.class, REPLAY);
		Waiting waiting = one.getBean(Waiting.class);
		RecurringMessages recurring = one.getBean(RecurringMessages.class);
		waiting.mayEnd.release(3);
		Awaitility.await().until(() -> waiting.found.size() == 4);
		this.redis.command("SAVE");
		waiting.mayEnd.release(3);
		Awaitility.await().until(() -> waiting.found.size() == 7);
		this.redis.kill();
		this.redis.restart();
		waiting.mayEnd.release(8);
		Awaitility.await().until(() -> waiting.mayEnd.availablePermits() == 0 && waiting.waits);
		recurring.pause(this.queue, "waiting");
		waiting.mayEnd.release(100);
		awaitIdle(one);
		int state = Integer.parseInt(recurring.find(this.queue, "waiting").orElseThrow().state());
		assertThat(state).isGreaterThanOrEqualTo(8);
		assertThat(new TreeSet<>(waiting.found)).as("each state was read by the run that counted it")
			.containsExactlyElementsOf(IntStream.range(0, state).boxed().toList());
	}

	private void assertCounted(ConfigurableApplicationContext survivor, int runs) {
		RecurringMessages recurring = survivor.getBean(RecurringMessages.class);
		Awaitility.await()
			.atMost(Duration.ofMinutes(3))
			.until(() -> recurring.find(this.queue, "counting").filter(RecurringInfo::ended).isPresent());
		awaitIdle(survivor);
		RecurringInfo info = recurring.find(this.queue, "counting").orElseThrow();
		assertThat(info.runs()).isEqualTo(runs);
		assertThat(info.runsLeft()).isZero();
		List<String> begun = Journal.payloads(redisson(survivor), this.queue, "begin");
		assertThat(begun.stream().map((line) -> line.split("/")[0]).distinct()).as("messages").hasSize(runs);
		assertThat(info.state()).as("acknowledged runs").isEqualTo(String.valueOf(runs));
		assertThat(begun.stream().map((line) -> Integer.valueOf(line.split("/")[1])).distinct().sorted().toList())
			.containsExactlyElementsOf(IntStream.range(0, runs).boxed().toList());
	}

	private static void startListeners(ConfigurableApplicationContext context) {
		context.getBean(QueueListenerEndpointRegistry.class).getContainers().forEach(QueueListenerContainer::start);
	}

	private void awaitIdle(ConfigurableApplicationContext context) {
		Awaitility.await().untilAsserted(() -> {
			QueueInfo info = context.getBean(QueueAdmin.class).queues().info(this.queue);
			assertThat(info.ready() + info.scheduled() + info.inFlight()).as(info.toString()).isZero();
		});
	}

	private long count(RedissonClient redisson, String event, String instance) {
		return Journal.read(redisson, this.queue, event)
			.stream()
			.filter((line) -> line.endsWith(" " + instance))
			.count();
	}

	@Import(Journal.class)
	static class Counting {

		private final Journal journal;

		private final Duration handling;

		Counting(Journal journal, @Value("${test.handling:30ms}") Duration handling) {
			this.journal = journal;
			this.handling = handling;
		}

		@RecurringMessage(name = "counting", every = "100ms", maxRuns = "${test.runs}", missed = MissedTicks.ALL)
		@QueueListener(queues = "${test.queue}", autoStartup = "${test.listening:true}")
		void handle(RecurringTick tick, RecurringState<Integer> state) throws InterruptedException {
			int read = state.get().orElse(0);
			this.journal.write("begin", tick.scheduledFor() + "/" + read);
			TimeUnit.NANOSECONDS.sleep(this.handling.toNanos());
			state.set(read + 1);
			this.journal.write("done", tick.scheduledFor() + "/" + read);
		}

	}

	static class Waiting {

		final List<Integer> found = new CopyOnWriteArrayList<>();

		final Semaphore mayEnd = new Semaphore(0);

		volatile boolean waits;

		@RecurringMessage(name = "waiting", every = "200ms", lateAfter = "1h")
		@QueueListener("${test.queue}")
		void handle(RecurringTick tick, RecurringState<Integer> state) throws InterruptedException {
			int read = state.get().orElse(0);
			this.found.add(read);
			this.waits = true;
			this.mayEnd.acquire();
			this.waits = false;
			state.set(read + 1);
		}

	}

}
