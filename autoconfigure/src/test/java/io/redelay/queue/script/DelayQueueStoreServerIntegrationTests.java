package io.redelay.queue.script;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.message.ClaimLimits;
import io.redelay.queue.message.NewMessage;
import io.redelay.queue.message.Settlement;
import io.redelay.queue.message.WorkCodec;
import io.redelay.queue.request.LaneStatus;
import io.redelay.queue.request.ReplayMemory;
import io.redelay.queue.request.StoreException;
import io.redelay.queue.wire.StoreDump;
import io.redelay.queue.wire.TestScripts;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RedissonClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests of the store on a Redis that crashes, forgets its scripts, throws out its clients
 * or is full.
 * <p>
 * The system property {@code redelay.test.rounds} says how often it crashes.
 */
class DelayQueueStoreServerIntegrationTests {

	private static final int ROUNDS = Integer.getInteger("redelay.test.rounds", 2);

	private static final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

	@TempDir
	Path directory;

	private RedisServer server;

	private RedissonClient client;

	private QueueScripts store;

	@BeforeEach
	void start() {
		this.server = RedisServer.builder().appendOnly(this.directory).start();
		this.client = TestRedis.connect(this.server.uri(), Duration.ofSeconds(2));
		this.store = TestScripts.create(this.client, "redelay", Duration.ofSeconds(30), timer, ReplayMemory.NONE);
	}

	@AfterEach
	void stop() {
		this.client.shutdown();
		this.server.close();
	}

	@AfterAll
	static void shutDown() {
		timer.shutdownNow();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aCrashOfRedisLosesAndDoublesNothing() {
		try (LoadRun load = new LoadRun(this.store)) {
			for (int i = 0; i < ROUNDS; i++) {
				load.goOn(200);
				this.server.kill();
				this.server.restart();
			}
			load.goOn(200);
			load.end();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void flushedScriptsAreNotNoticed() {
		try (LoadRun load = new LoadRun(this.store)) {
			for (int i = 0; i < 20; i++) {
				load.goOn(10);
				this.server.command("SCRIPT", "FLUSH");
			}
			load.end();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aClaimAfterARestartWaitsForTheOtherLanes() {
		TestQueue queue = new TestQueue(this.store);
		TestQueue.Consumer one = queue.consumer();
		TestQueue.Consumer two = queue.consumer();
		TestQueue.Consumer closed = queue.consumer();
		queue.sender().send(queue.messages(2));
		List.of(one, two, closed).forEach((consumer) -> consumer.claim(0));
		this.server.kill();
		this.server.restart();
		ClaimReply reply = two.claim(10);
		assertThat(reply.messages()).isEmpty();
		assertThat(reply.next()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(1));
		closed.close();
		TestQueue.Consumer fresh = queue.consumer();
		assertThat(fresh.claim(10).messages()).isEmpty();
		assertThat(one.renew()).isTrue();
		assertThat(fresh.claim(1).messages()).hasSize(1);
		assertThat(one.claim(10).messages()).hasSize(1);
		assertThat(StoreDump.of(this.client, queue.name).meta()).isEmpty();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aClaimAfterARestartWaitsForNoLaneWhoseLeaseIsOver() {
		TestQueue queue = new TestQueue(this.store);
		TestQueue.Consumer one = queue.consumer(Duration.ofSeconds(1));
		TestQueue.Consumer two = queue.consumer();
		queue.sender().send(queue.messages(2));
		one.claim(0);
		two.claim(0);
		this.server.kill();
		this.server.restart();
		Awaitility.await().until(() -> two.claim(2).messages().size() == 2);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aClaimWaitsForNoLaneWhenScriptsAreFlushedOrLanesAreNew() {
		TestQueue queue = new TestQueue(this.store);
		TestQueue.Consumer silent = queue.consumer();
		TestQueue.Consumer two = queue.consumer();
		queue.sender().send(queue.messages(2));
		assertThat(two.claim(1).messages()).hasSize(1);
		silent.renew();
		this.server.command("SCRIPT", "FLUSH");
		assertThat(two.claim(1).messages()).hasSize(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void clientsThatAreThrownOutLoseAndDoubleNothing() {
		try (LoadRun load = new LoadRun(this.store)) {
			for (int i = 0; i < ROUNDS; i++) {
				load.goOn(100);
				this.server.command("CLIENT", "KILL", "TYPE", "normal");
			}
			load.goOn(100);
			load.end();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFullRedisRefusesSendsAndTakesClaimsAndSettlements() {
		TestQueue queue = new TestQueue(this.store);
		TestQueue.Sender sender = queue.sender();
		sender.send(queue.messages(50));
		sender.send(queue.messageWithId("a", "first"));
		TestQueue.Consumer dying = queue.consumer();
		ClaimReply.Message suspect = dying.claim(1).messages().get(0);
		TestQueue.Consumer early = queue.consumer();
		List<ClaimReply.Message> held = early.claim(5).messages();
		dying.close();
		StoreDump before = StoreDump.of(this.client, queue.name);

		this.server.command("CONFIG", "SET", "maxmemory", "1");
		assertRefused(sender, queue.message("x"));
		assertRefused(sender, queue.message("x", Duration.ofSeconds(1)));
		assertRefused(sender, queue.messageWithId("a", "x"));
		assertRefused(sender, queue.messageWithId("b", "x"));
		assertThat(catchThrowable(queue::sender)).isExactlyInstanceOf(StoreException.class);
		StoreDump after = StoreDump.of(this.client, queue.name);
		assertThat(after.messages()).isEqualTo(before.messages());
		assertThat(after.ready()).isEqualTo(before.ready());
		assertThat(after.scheduled()).isEmpty();
		assertThat(after.ids()).isEqualTo(before.ids());

		TestQueue.get(this.store.names().addQueue("q-new"));
		assertThat(early.renew()).isTrue();
		assertThat(early
			.claim(0, Settlement.ack(held.get(0).uid(), held.get(0).claim()),
					Settlement.retry(held.get(1).uid(), held.get(1).claim(), Duration.ZERO),
					Settlement.retry(held.get(2).uid(), held.get(2).claim(), Duration.ofMillis(1)),
					Settlement.giveBack(held.get(3).uid(), held.get(3).claim(), Duration.ZERO),
					Settlement.bury(held.get(4).uid(), held.get(4).claim(), "{}"))
			.refused()).isEmpty();
		TestQueue.Consumer late = queue.consumer();
		ClaimReply reply = late.claim(10);
		assertThat(reply.messages()).hasSize(10).anyMatch(ClaimReply.Message::suspect);
		ClaimReply again = TestQueue.get(this.store.claim()
			.run(queue.name, TestQueue.request(late.lane, 1, TestQueue.LEASE, 10, Integer.MAX_VALUE, true,
					Duration.ZERO, List.of())));
		assertThat(again.messages()).extracting(ClaimReply.Message::uid)
			.containsExactlyElementsOf(reply.messages().stream().map(ClaimReply.Message::uid).toList());
		List<String> drained = new ArrayList<>();
		drained.add(held.get(0).uid());
		drained.add(held.get(4).uid());
		while (!reply.messages().isEmpty()) {
			reply.messages().forEach((message) -> drained.add(message.uid()));
			reply = late.claim(10,
					reply.messages()
						.stream()
						.map((message) -> Settlement.ack(message.uid(), message.claim()))
						.toList());
		}
		late.close();
		assertThat(drained).hasSize(51).doesNotHaveDuplicates().contains(suspect.uid());

		this.server.command("CONFIG", "SET", "maxmemory", "100mb");
		assertThat(sender.send(queue.messageWithId("a", "second")).fates()).isEmpty();
		assertThat(early.claim(10).messages()).hasSize(1);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aFullRedisRefusesCheckpointsAndRenewsTheLane() {
		TestQueue queue = new TestQueue(this.store);
		queue.sender().send(queue.messages(2));
		TestQueue.Consumer consumer = queue.consumer();
		List<ClaimReply.Message> held = consumer.claim(2).messages();
		assertThat(keep(queue, consumer, held, 1, "1").refused()).isEmpty();
		long deadline = StoreDump.of(this.client, queue.name).lanes().get(consumer.lane);

		this.server.command("CONFIG", "SET", "maxmemory", "1");
		WorkReply full = keep(queue, consumer, held, 2, "2");
		assertThat(full.status()).isEqualTo(LaneStatus.OK);
		assertThat(full.lost()).isEmpty();
		assertThat(full.refused()).containsExactlyInAnyOrder(held.get(0).uid(), held.get(1).uid());
		assertThat(StoreDump.of(this.client, queue.name).work()).containsEntry(held.get(0).uid() + "/checkpoint", "1");
		assertThat(StoreDump.of(this.client, queue.name).lanes().get(consumer.lane)).isGreaterThan(deadline);

		this.server.command("CONFIG", "SET", "maxmemory", "100mb");
		assertThat(keep(queue, consumer, held, 2, "2").refused()).isEmpty();
		assertThat(StoreDump.of(this.client, queue.name).work()).containsEntry(held.get(0).uid() + "/checkpoint", "2");
	}

	private WorkReply keep(TestQueue queue, TestQueue.Consumer consumer, List<ClaimReply.Message> messages, long number,
			String checkpoint) {
		byte[] section = WorkCodec.section('c', checkpoint.getBytes(StandardCharsets.UTF_8));
		return TestQueue
			.get(new WorkScript(this.store).run(queue.name,
					new WorkRequest(consumer.lane, Duration.ofMinutes(1), 1, ClaimLimits.NONE, messages.stream()
						.map((message) -> new WorkRequest.Entry(message.uid(), message.claim(), number, section))
						.toList())));
	}

	private static void assertRefused(TestQueue.Sender sender, NewMessage message) {
		assertThatExceptionOfType(CompletionException.class).isThrownBy(() -> sender.sendAsync(List.of(message)).join())
			.havingCause()
			.isExactlyInstanceOf(StoreException.class)
			.withMessageContaining("maxmemory");
	}

}
