package io.redelay.queue.fault;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.event.RedisRolledBackEvent;
import io.redelay.queue.recurring.RecurringMessage;
import io.redelay.queue.recurring.RecurringTick;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.redis.RedisSentinel;
import io.redelay.test.redis.TcpFaultProxy;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A Redis that goes back in time while applications use it: sends that returned are
 * repeated, settlements too, and nothing stays held.
 */
class RollbackIntegrationTests extends FaultTests {

	@TempDir
	Path folder;

	@Override
	RedisServer startServer() {
		return RedisServer.builder()
			.appendOnly(this.folder)
			.config("appendfsync always", "aof-load-truncated yes", "auto-aof-rewrite-percentage 0")
			.start();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void sendsThatReturnedAreRepairedWhenTheTailOfTheLogIsCut() throws Exception {
		Load load = new Load(this.queue, instance(Load.Listener.class, REPLAY), instance(Load.Listener.class, REPLAY));
		load.start();
		load.awaitMore(300);
		long kept = size();
		load.awaitMore(300);
		this.redis.kill();
		long cut = kept + ThreadLocalRandom.current().nextLong(size() - kept);
		System.out.printf("Cut at %d of %d, kept %d at least%n", cut, size(), kept);
		cut(cut);
		this.redis.restart();
		load.awaitMore(300);
		load.stop();
		load.assertNothingIsMissing();
		load.assertOrderWasKept();
		assertThat(load.events()).extracting(RedisRolledBackEvent::lane).contains("sender");
		assertThat(load.events()).allSatisfy((event) -> assertThat(event.missing()).isZero());
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void sendsThatReturnedAreRepairedWhenAnOlderSnapshotIsLoaded(@TempDir Path snapshots) throws Exception {
		try (RedisServer server = RedisServer.builder().config("dir " + snapshots, "save \"\"").start()) {
			String url = "spring.data.redis.url=" + server.uri();
			Load load = new Load(this.queue, instance(Load.Listener.class, url, REPLAY),
					instance(Load.Listener.class, url, REPLAY));
			load.start();
			load.awaitMore(300);
			server.command("SAVE");
			load.awaitMore(300);
			server.kill();
			server.restart();
			load.awaitMore(300);
			load.stop();
			load.assertNothingIsMissing();
			load.assertOrderWasKept();
			assertThat(load.events()).extracting(RedisRolledBackEvent::lane).contains("sender");
			assertThat(load.events()).allSatisfy((event) -> assertThat(event.missing()).isZero());
		}
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void aSenderThatEndsRepairsWhatIsMissing() throws Exception {
		ConfigurableApplicationContext sender = instance(NoListener.class, REPLAY);
		queue(sender).send(this.queue, "first");
		long kept = size();
		queue(sender).send(OutboundMessage.to(this.queue, "second").delay(Duration.ofMinutes(10)));
		queue(sender).send(this.queue, "third");
		this.redis.kill();
		cut(kept);
		this.redis.restart();
		QueueAdmin admin = sender.getBean(QueueAdmin.class);
		Awaitility.await().untilAsserted(() -> {
			QueueInfo info = admin.queues().info(this.queue);
			assertThat(info.ready() + info.scheduled()).isEqualTo(3);
		});
		Awaitility.await().until(() -> admin.queues().info(this.queue).ready() == 2);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatOneQueueSendsPushesOutTheOldestOfAllQueues() throws Exception {
		ConfigurableApplicationContext sender = instance(NoListener.class, REPLAY, "redelay.queue.replay.max-size=1MB");
		String other = this.queue + "-other";
		QueueAdmin admin = sender.getBean(QueueAdmin.class);
		QueueOperations operations = queue(sender);
		operations.send(OutboundMessage.to(this.queue, "kept").delay(Duration.ofMinutes(10)));
		operations.send(OutboundMessage.to(other, "kept").delay(Duration.ofMinutes(10)));
		long kept = size();
		String payload = "x".repeat(100_000);
		for (int i = 0; i < 12; i++) {
			operations.send(OutboundMessage.to(this.queue, payload).id("old" + i).delay(Duration.ofMinutes(10)));
		}
		for (int i = 0; i < 5; i++) {
			operations.send(OutboundMessage.to(other, payload).id("young" + i).delay(Duration.ofMinutes(10)));
		}
		this.redis.kill();
		cut(kept);
		this.redis.restart();
		Awaitility.await().untilAsserted(() -> {
			assertThat(admin.queues().info(other).scheduled()).isEqualTo(1 + 5);
			assertThat(admin.queues().info(this.queue).scheduled()).isEqualTo(1 + 5);
		});
		assertThat(admin.messages().find(this.queue, "old6")).isEmpty();
		assertThat(admin.messages().find(this.queue, "old7")).isPresent();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsHandledMeanwhileIsHandledOnce() throws Exception {
		ConfigurableApplicationContext slow = instance(SlowListener.class, REPLAY);
		SlowListener listener = slow.getBean(SlowListener.class);
		queue(slow).send(this.queue, "before");
		long kept = size();
		for (int i = 0; i < 5; i++) {
			queue(slow).send(this.queue, "m" + i);
		}
		Awaitility.await().until(() -> listener.begun.size() == 6);
		this.redis.kill();
		cut(kept);
		this.redis.restart();
		Awaitility.await().until(() -> listener.events.stream().anyMatch((event) -> event.lane().equals("consumer")));
		ConfigurableApplicationContext other = instance(SlowListener.class, REPLAY);
		listener.mayEnd.countDown();
		QueueAdmin admin = slow.getBean(QueueAdmin.class);
		Awaitility.await().untilAsserted(() -> assertDrained(admin.queues().info(this.queue)));
		assertThat(listener.begun).hasSize(6).doesNotHaveDuplicates();
		assertThat(other.getBean(SlowListener.class).begun).isEmpty();
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void whatALaneHasFinishedThatIsNotBackYetIsNotHandledByAnother() throws Exception {
		try (TcpFaultProxy proxy = TcpFaultProxy.to(this.redis)) {
			ConfigurableApplicationContext slow = instance(Recorder.class, REPLAY,
					"spring.data.redis.url=" + proxy.uri());
			Recorder first = slow.getBean(Recorder.class);
			queue(slow).send(this.queue, "before");
			Awaitility.await().until(() -> first.handled.size() == 1);
			for (int i = 0; i < 20; i++) {
				queue(slow).send(OutboundMessage.to(this.queue, "m" + i).delay(Duration.ofSeconds(1)));
			}
			long kept = size();
			Awaitility.await().until(() -> first.handled.size() == 21);
			QueueAdmin own = slow.getBean(QueueAdmin.class);
			Awaitility.await().untilAsserted(() -> assertDrained(own.queues().info(this.queue)));
			proxy.refuseConnections();
			proxy.dropConnections();
			this.redis.kill();
			cut(kept);
			this.redis.restart();
			ConfigurableApplicationContext other = instance(Recorder.class, REPLAY);
			Recorder second = other.getBean(Recorder.class);
			QueueAdmin admin = other.getBean(QueueAdmin.class);
			Awaitility.await()
				.during(Duration.ofSeconds(2))
				.untilAsserted(() -> assertThat(second.handled).as("handled while the first one is away").isEmpty());
			queue(other).send(this.queue, "new");
			proxy.acceptConnections();
			Awaitility.await().untilAsserted(() -> assertDrained(admin.queues().info(this.queue)));
			assertThat(first.handled.size() + second.handled.size()).as("handled").isEqualTo(22);
			assertThat(first.events).anySatisfy((event) -> {
				assertThat(event.lane()).isEqualTo("consumer");
				assertThat(event.repeated()).isPositive();
				assertThat(event.givenBack()).isZero();
			});
		}
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void whatSendersRepeatToAnEmptyRedisMeetsWhatAListenerHasFinishedThatIsLate(@TempDir Path snapshots)
			throws Exception {
		try (RedisServer server = RedisServer.builder().config("dir " + snapshots, "save \"\"").start();
				TcpFaultProxy proxy = TcpFaultProxy.to(server)) {
			String url = "spring.data.redis.url=" + server.uri();
			ConfigurableApplicationContext sender = instance(NoListener.class, url, REPLAY);
			ConfigurableApplicationContext slow = instance(Recorder.class, REPLAY,
					"spring.data.redis.url=" + proxy.uri());
			Recorder first = slow.getBean(Recorder.class);
			for (int i = 0; i < 20; i++) {
				queue(sender).send(this.queue, "m" + i);
			}
			QueueAdmin admin = sender.getBean(QueueAdmin.class);
			Awaitility.await().until(() -> first.handled.size() == 20);
			Awaitility.await().untilAsserted(() -> assertDrained(admin.queues().info(this.queue)));
			ConfigurableApplicationContext other = instance(Recorder.class, url, REPLAY);
			// A lane that has not claimed before the kill does not notice that Redis was
			// emptied.
			Awaitility.await()
				.until(() -> redisson(sender).getScoredSortedSet("redelay:{" + this.queue + "}:sleepers").size() == 2);
			proxy.refuseConnections();
			proxy.dropConnections();
			server.kill();
			server.restart();
			Awaitility.await()
				.untilAsserted(() -> assertThat(admin.queues().info(this.queue).scheduled()).isEqualTo(20));
			Awaitility.await()
				.during(Duration.ofSeconds(3))
				.untilAsserted(() -> assertThat(other.getBean(Recorder.class).handled).isEmpty());
			proxy.acceptConnections();
			Awaitility.await().untilAsserted(() -> assertDrained(admin.queues().info(this.queue)));
			assertThat(first.handled).hasSize(20);
			assertThat(other.getBean(Recorder.class).handled).isEmpty();
		}
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void whatSendersRepeatToAnEmptyRedisWaitsAlsoIfAListenerHasJustStarted(@TempDir Path snapshots) throws Exception {
		try (RedisServer server = RedisServer.builder().config("dir " + snapshots, "save \"\"").start();
				TcpFaultProxy toSender = TcpFaultProxy.to(server);
				TcpFaultProxy toListener = TcpFaultProxy.to(server)) {
			ConfigurableApplicationContext sender = instance(NoListener.class, REPLAY,
					"spring.data.redis.url=" + toSender.uri());
			Recorder first = instance(Recorder.class, REPLAY, "spring.data.redis.url=" + toListener.uri())
				.getBean(Recorder.class);
			for (int i = 0; i < 20; i++) {
				queue(sender).send(this.queue, "m" + i);
			}
			QueueAdmin senderAdmin = sender.getBean(QueueAdmin.class);
			Awaitility.await().until(() -> first.handled.size() == 20);
			Awaitility.await().untilAsserted(() -> assertDrained(senderAdmin.queues().info(this.queue)));
			for (TcpFaultProxy proxy : List.of(toSender, toListener)) {
				proxy.refuseConnections();
				proxy.dropConnections();
			}
			server.kill();
			server.restart();
			ConfigurableApplicationContext other = instance(Recorder.class, "spring.data.redis.url=" + server.uri());
			Awaitility.await()
				.until(() -> redisson(other).getScoredSortedSet("redelay:{" + this.queue + "}:sleepers").size() == 1);
			toSender.acceptConnections();
			QueueAdmin admin = other.getBean(QueueAdmin.class);
			Awaitility.await()
				.untilAsserted(() -> assertThat(admin.queues().info(this.queue).scheduled()).isEqualTo(20));
			Awaitility.await()
				.during(Duration.ofSeconds(3))
				.untilAsserted(() -> assertThat(other.getBean(Recorder.class).handled).isEmpty());
			toListener.acceptConnections();
			Awaitility.await().untilAsserted(() -> assertDrained(admin.queues().info(this.queue)));
			assertThat(first.handled).hasSize(20);
			assertThat(other.getBean(Recorder.class).handled).isEmpty();
		}
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void aListenerThatIsGoneHoldsAQueueUpForItsLeaseOnly() throws Exception {
		try (TcpFaultProxy proxy = TcpFaultProxy.to(this.redis)) {
			ConfigurableApplicationContext gone = instance(Recorder.class, REPLAY,
					"spring.data.redis.url=" + proxy.uri(), "redelay.queue.listener.lease-time=3s");
			queue(gone).send(this.queue, "before");
			Awaitility.await().until(() -> gone.getBean(Recorder.class).handled.size() == 1);
			proxy.refuseConnections();
			proxy.dropConnections();
			this.redis.kill();
			this.redis.restart();
			ConfigurableApplicationContext other = instance(Recorder.class, REPLAY);
			queue(other).send(this.queue, "after");
			Awaitility.await().until(() -> other.getBean(Recorder.class).handled.contains("after"));
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatIsHandledWhenItsSendIsRepeatedIsDueBeforeItIsHandledAgain() throws Exception {
		ConfigurableApplicationContext application = instance(FailingListener.class, REPLAY,
				"redelay.queue.listener.backoff.initial-interval=1ms");
		FailingListener listener = application.getBean(FailingListener.class);
		queue(application).send(OutboundMessage.to(this.queue, "first").delay(Duration.ofMinutes(10)));
		long kept = size();
		queue(application).send(this.queue, "handled");
		Awaitility.await().until(() -> listener.begun.size() == 1);
		this.redis.kill();
		cut(kept);
		this.redis.restart();
		QueueAdmin admin = application.getBean(QueueAdmin.class);
		Awaitility.await().untilAsserted(() -> {
			assertThat(admin.queues().info(this.queue).inFlight()).isOne();
			assertThat(listener.lanes).contains("sender", "consumer");
		});
		listener.mayEnd.countDown();
		Awaitility.await().until(() -> listener.begun.size() == 2);
		assertThat(listener.early).isEmpty();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void ticksGoOnWhoseRunIsForgottenAndWhoseDeclarationIsLost() throws Exception {
		TickListener listener = instance(TickListener.class, REPLAY).getBean(TickListener.class);
		Awaitility.await().until(() -> listener.begun.size() == 1);
		long kept = size();
		listener.mayEnd.release();
		Awaitility.await().until(() -> listener.begun.size() == 2);
		this.redis.kill();
		cut(kept);
		this.redis.restart();
		Awaitility.await().until(() -> !listener.events.isEmpty());
		listener.mayEnd.release(1000);
		Awaitility.await().until(() -> listener.begun.size() >= 4);
		this.redis.command("FLUSHALL");
		int before = listener.begun.size();
		Awaitility.await().until(() -> listener.begun.size() >= before + 2);
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void anEmptyRedisIsFilledAgain() {
		ConfigurableApplicationContext application = instance(SlowListener.class, REPLAY);
		SlowListener listener = application.getBean(SlowListener.class);
		QueueAdmin admin = application.getBean(QueueAdmin.class);
		queue(application).send(this.queue, "held");
		Awaitility.await().until(() -> listener.begun.size() == 1);
		queue(application).send(OutboundMessage.to(this.queue, "later").delay(Duration.ofMinutes(10)));
		this.redis.command("FLUSHALL");
		queue(application).send(OutboundMessage.to(this.queue, "new").delay(Duration.ofMinutes(10)));
		Awaitility.await().untilAsserted(() -> {
			assertThat(admin.queues().names()).contains(this.queue);
			assertThat(admin.queues().info(this.queue).scheduled()).isEqualTo(2);
		});
		listener.mayEnd.countDown();
		Awaitility.await().untilAsserted(() -> assertThat(admin.queues().info(this.queue).inFlight()).isZero());
		assertThat(listener.begun).containsExactly("held");
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatWasSentToAQueueThatIsClosedAgainIsRepaired() throws Exception {
		ConfigurableApplicationContext sender = instance(NoListener.class, REPLAY);
		ConfigurableApplicationContext forgetful = instance(NoListener.class, "redelay.queue.replay.duration=0s");
		QueueAdmin admin = forgetful.getBean(QueueAdmin.class);
		queue(sender).send(OutboundMessage.to(this.queue, "first").delay(Duration.ofMinutes(10)));
		admin.control().close(this.queue);
		long kept = size();
		admin.control().reopen(this.queue);
		queue(sender).send(OutboundMessage.to(this.queue, "second").delay(Duration.ofMinutes(10)));
		this.redis.kill();
		cut(kept);
		this.redis.restart();
		Awaitility.await().untilAsserted(() -> assertThat(admin.queues().info(this.queue).scheduled()).isEqualTo(2));
		assertThat(admin.queues().info(this.queue).closed()).isTrue();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aPauseAndACancellationAreRepeated() throws Exception {
		ConfigurableApplicationContext application = instance(NoListener.class, REPLAY);
		QueueAdmin admin = application.getBean(QueueAdmin.class);
		queue(application).send(OutboundMessage.to(this.queue, "cancelled").id("c").delay(Duration.ofMinutes(10)));
		long kept = size();
		admin.messages().cancel(this.queue, "c");
		admin.control().pause(this.queue);
		this.redis.kill();
		cut(kept);
		this.redis.restart();
		Awaitility.await().untilAsserted(() -> {
			assertThat(admin.queues().info(this.queue).paused()).isTrue();
			assertThat(admin.queues().info(this.queue).scheduled()).isZero();
		});
	}

	@Test
	@Tag("full")
	@Execution(ExecutionMode.CONCURRENT)
	void sendsThatReturnedAreRepairedAfterAFailoverToAReplicaThatLagged() throws Exception {
		try (RedisSentinel sentinel = RedisSentinel.builder().replicas(1).downAfter(Duration.ofSeconds(1)).start()) {
			List<String> nodes = sentinel.sentinels().stream().map((each) -> each.host() + ":" + each.port()).toList();
			String[] properties = { "spring.data.redis.timeout=1s", "redelay.queue.resend-timeout=5m", REPLAY,
					"spring.data.redis.sentinel.master=" + sentinel.masterName(),
					"spring.data.redis.sentinel.nodes=" + String.join(",", nodes) };
			Load load = new Load(this.queue, instance(Load.Listener.class, properties),
					instance(Load.Listener.class, properties));
			load.start();
			load.awaitMore(200);
			RedisServer master = sentinel.master();
			RedisServer replica = sentinel.servers()
				.stream()
				.filter((each) -> each.port() != master.port())
				.findFirst()
				.orElseThrow();
			// From here on it has nothing of what its master is sent.
			replica.command("REPLICAOF", "NO", "ONE");
			load.awaitMore(200);
			master.kill();
			load.awaitMore(200);
			load.stop();
			load.assertNothingIsMissing();
			load.assertOrderWasKept();
			assertThat(load.events()).extracting(RedisRolledBackEvent::lane).contains("sender");
		}
	}

	private static void assertDrained(QueueInfo info) {
		assertThat(info.ready() + info.scheduled() + info.inFlight() + info.dead()).as(info.toString()).isZero();
	}

	private Path log() throws IOException {
		try (Stream<Path> files = Files.walk(this.folder)) {
			return files.filter((file) -> file.getFileName().toString().endsWith(".incr.aof"))
				.findFirst()
				.orElseThrow();
		}
	}

	private long size() throws IOException {
		return Files.size(log());
	}

	private void cut(long size) throws IOException {
		try (RandomAccessFile file = new RandomAccessFile(log().toFile(), "rw")) {
			file.setLength(size);
		}
	}

	/**
	 * Handles until it may end.
	 */
	static class SlowListener {

		final List<String> begun = new CopyOnWriteArrayList<>();

		final List<RedisRolledBackEvent> events = new CopyOnWriteArrayList<>();

		final CountDownLatch mayEnd = new CountDownLatch(1);

		@QueueListener("${test.queue}")
		void handle(String payload) throws InterruptedException {
			this.begun.add(payload);
			this.mayEnd.await();
		}

		@EventListener
		void onRollback(RedisRolledBackEvent event) {
			this.events.add(event);
		}

	}

	/**
	 * Writes down what it handles.
	 */
	static class Recorder {

		final List<String> handled = new CopyOnWriteArrayList<>();

		final List<RedisRolledBackEvent> events = new CopyOnWriteArrayList<>();

		@QueueListener("${test.queue}")
		void handle(String payload) {
			this.handled.add(payload);
		}

		@EventListener
		void onRollback(RedisRolledBackEvent event) {
			this.events.add(event);
		}

	}

	/**
	 * Fails at the first delivery, when it may end.
	 */
	static class FailingListener {

		final List<String> begun = new CopyOnWriteArrayList<>();

		final List<DeliveryInfo> early = new CopyOnWriteArrayList<>();

		final List<String> lanes = new CopyOnWriteArrayList<>();

		final CountDownLatch mayEnd = new CountDownLatch(1);

		@QueueListener("${test.queue}")
		void handle(String payload, DeliveryInfo delivery) throws InterruptedException {
			if (delivery.dueAt().isAfter(Instant.now())) {
				this.early.add(delivery);
			}
			this.begun.add(payload);
			this.mayEnd.await();
			if (this.begun.size() == 1) {
				throw new IllegalStateException("fails");
			}
		}

		@EventListener
		void onRollback(RedisRolledBackEvent event) {
			this.lanes.add(event.lane());
		}

	}

	/**
	 * Listens to nothing.
	 */
	static class NoListener {

	}

	/**
	 * Has ticks, of which each may end when the test says so.
	 */
	static class TickListener {

		final List<RecurringTick> begun = new CopyOnWriteArrayList<>();

		final List<RedisRolledBackEvent> events = new CopyOnWriteArrayList<>();

		final Semaphore mayEnd = new Semaphore(0);

		@RecurringMessage(name = "tick", every = "500ms", lateAfter = "1h")
		@QueueListener("${test.queue}")
		void handle(RecurringTick tick) throws InterruptedException {
			this.begun.add(tick);
			this.mayEnd.acquire();
		}

		@EventListener
		void onRollback(RedisRolledBackEvent event) {
			this.events.add(event);
		}

	}

}
