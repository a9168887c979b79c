package io.redelay.queue.claim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.redelay.embedded.redis.RedisServer;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for applications that end while there is work.
 */
class ShutdownIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	private final QueueState state = QueueState.of(redis, this.queue);

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatHasNotStartedGoesBackAndWhatRunsFinishes() throws Exception {
		Gated handler = new Gated();
		ListenerApplication application = start(handler, "20s", 5);
		send(application, 6);
		Awaitility.await().until(() -> this.state.held() == 6 && handler.handled.size() == 1);
		CompletableFuture<Void> closed = CompletableFuture.runAsync(application::close);
		Awaitility.await().until(() -> this.state.ready() == 5);
		assertThat(closed).isNotDone();
		assertThat(this.state.tries()).isZero();
		handler.end.countDown();
		closed.get(60, TimeUnit.SECONDS);
		assertThat(this.state.held()).isZero();
		assertThat(this.state.messages()).hasSize(5);
		assertThat(handler.handled).as("no handler began after the end").hasSize(1);
		Gated other = new Gated();
		other.end.countDown();
		try (ListenerApplication next = start(other, "20s", 5)) {
			this.state.awaitDrained();
			assertThat(other.handled).extracting(DeliveryInfo::id)
				.as("the rest, in its order")
				.containsExactly("n1", "n2", "n3", "n4", "n5");
			assertThat(other.handled).allMatch((info) -> info.attempt() == 1);
			assertThat(next.container().isRunning()).isTrue();
		}
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void doesNotWaitForHandlersLongerThanItMay(CapturedLog log) {
		Gated handler = new Gated();
		ListenerApplication application = builder(handler, "2s", 0).with("lease", "1s").start();
		send(application, 2);
		Awaitility.await().until(() -> handler.handled.size() == 1);
		long start = System.nanoTime();
		application.close();
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(Duration.ofMillis(1700),
				Duration.ofMinutes(1));
		Awaitility.await()
			.untilAsserted(() -> assertThat(log.entriesWith(
					"'gated-" + this.queue + "' stopped while 1 message(s) were still handled: they are given back"))
				.isNotEmpty());
		Gated other = new Gated();
		other.end.countDown();
		try (ListenerApplication next = start(other, "20s", 0)) {
			this.state.awaitDrained();
			handler.end.countDown();
			assertThat(other.handled).as("the one that waited and the one that was cut off, with nothing counted")
				.hasSize(2)
				.allMatch((info) -> info.attempt() == 1);
			assertThat(next.container().isRunning()).isTrue();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aHandlerThatIsLongerThanTheLimitEarnsNoCrashHoweverManyDeployments() {
		Gated handler = new Gated();
		try (ListenerApplication sender = ListenerApplication.on(redis).start()) {
			sender.queues().send(OutboundMessage.to(this.queue, "x").id("long").maxAttempts(1));
		}
		for (int deployment = 1; deployment <= 3; deployment++) {
			int begun = deployment;
			ListenerApplication application = hasty(handler).start();
			Awaitility.await().until(() -> handler.handled.size() == begun);
			application.close();
			Awaitility.await("there for the next instance long before the lease runs out")
				.until(() -> this.state.ready() == 1);
			assertThat(this.state.held()).isZero();
			assertThat(this.state.tries()).isZero();
		}
		assertThat(handler.handled).allMatch((info) -> info.attempt() == 1);
		assertThat(this.state.dead()).isEmpty();
		handler.end.countDown();
		try (ListenerApplication last = builder(handler, "20s", 0).start()) {
			this.state.awaitDrained();
			assertThat(last.container().isRunning()).isTrue();
		}
		assertThat(this.state.dead()).isEmpty();
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aSuspectThatRunsAtTheLimitStaysASuspectAndEarnsNoCrash() {
		Gated handler = new Gated();
		RedissonClient client = redis.client();
		ListenerApplication application = hasty(handler).with("lease", "2s").start();
		String messages = "redelay:{" + this.queue + "}:messages";
		client.getMap(messages, StringCodec.INSTANCE).put("u", "{\"sentAt\":1,\"payload\":1}");
		client.getList("redelay:{" + this.queue + "}:suspects", StringCodec.INSTANCE).add("u");
		Awaitility.await().until(() -> handler.handled.size() == 1);
		application.close();
		assertThat(client.getList("redelay:{" + this.queue + "}:suspects", StringCodec.INSTANCE).readAll())
			.isEqualTo(List.of("u"));
		Gated other = new Gated();
		other.end.countDown();
		try (ListenerApplication next = start(other, "20s", 0)) {
			this.state.awaitDrained();
			assertThat(other.handled).extracting(DeliveryInfo::crashes).containsExactly(0);
			handler.end.countDown();
			assertThat(next.container().isRunning()).isTrue();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatRunsOnAfterTheLimitIsAcknowledgedIfNoOtherLaneHoldsIt() throws Exception {
		Gated handler = new Gated();
		try (ListenerApplication application = start(handler, "20s", 0)) {
			send(application, 1);
			Awaitility.await().until(() -> handler.handled.size() == 1);
			application.container().stop(Duration.ofMillis(100)).get(60, TimeUnit.SECONDS);
			assertThat(this.state.ready()).isEqualTo(1);
			handler.end.countDown();
			Awaitility.await().until(() -> this.state.messages().isEmpty());
			application.container().start();
			send(application, 1);
			this.state.awaitDrained();
			assertThat(handler.handled).as("the first one once, and another one").hasSize(2);
		}
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void whatOthersHaveByNowIsTheirs(CapturedLog log) throws Exception {
		Gated handler = new Gated();
		Gated other = new Gated();
		try (ListenerApplication application = start(handler, "20s", 0)) {
			send(application, 1);
			Awaitility.await().until(() -> handler.handled.size() == 1);
			application.container().stop(Duration.ofMillis(100)).get(60, TimeUnit.SECONDS);
			try (ListenerApplication next = start(other, "20s", 0)) {
				Awaitility.await().until(() -> other.handled.size() == 1);
				handler.end.countDown();
				Awaitility.await()
					.untilAsserted(() -> assertThat(log.entriesWith("of the queue '" + this.queue + "' came too late"))
						.isNotEmpty());
				assertThat(this.state.held()).as("still held by the other one").isEqualTo(1);
				other.end.countDown();
				this.state.awaitDrained();
				assertThat(next.container().isRunning()).isTrue();
			}
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void claimsOnTheWireAreNotLost() {
		// Applications come and go while messages flow; each is handled, and none fails.
		List<DeliveryInfo> handled = new CopyOnWriteArrayList<>();
		List<CompletableFuture<?>> sent = new ArrayList<>();
		int count = 0;
		try (ListenerApplication sender = ListenerApplication.on(redis).start()) {
			for (int round = 0; round < 12; round++) {
				Quick handler = new Quick(handled);
				ListenerApplication application = ListenerApplication.on(redis)
					.bean(handler)
					.with("queue", this.queue)
					.start();
				for (int i = 0; i < 60; i++) {
					sent.add(sender.queues().sendAsync(OutboundMessage.to(this.queue, count).id("n" + count++)));
				}
				application.close();
				assertThat(this.state.held()).isZero();
			}
			CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).join();
		}
		try (ListenerApplication last = ListenerApplication.on(redis)
			.bean(new Quick(handled))
			.with("queue", this.queue)
			.start()) {
			this.state.awaitDrained();
			assertThat(handled).extracting(DeliveryInfo::id).doesNotHaveDuplicates().hasSize(count);
			assertThat(handled).allMatch((info) -> info.attempt() == 1);
			assertThat(last.container().isRunning()).isTrue();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void endsInTimeWhileRedisIsDown() {
		RedisServer server = RedisServer.start();
		RedissonClient client = TestRedis.connect(server.uri());
		try {
			Gated handler = new Gated();
			ListenerApplication application = ListenerApplication.on(client)
				.bean(handler)
				.with("queue", this.queue)
				.with("spring.lifecycle.timeout-per-shutdown-phase", "2s")
				.start();
			send(application, 1);
			Awaitility.await().until(() -> handler.handled.size() == 1);
			server.kill();
			handler.end.countDown();
			long start = System.nanoTime();
			application.close();
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMinutes(1));
		}
		finally {
			client.shutdown();
			server.close();
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aBatchThatIsNotFullGoesBackAtOnce() {
		Batches handler = new Batches();
		ListenerApplication application = ListenerApplication.on(redis).bean(handler).with("queue", this.queue).start();
		send(application, 3);
		Awaitility.await().until(() -> this.state.held() == 3);
		application.close();
		assertThat(this.state.ready()).isEqualTo(3);
		assertThat(this.state.held()).isZero();
		assertThat(handler.handled).isEmpty();
	}

	private void send(ListenerApplication application, int count) {
		List<OutboundMessage> messages = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			messages.add(OutboundMessage.to(this.queue, "x").id("n" + i));
		}
		application.queues().sendAll(messages);
	}

	private ListenerApplication start(Object handler, String phase, int prefetch) {
		return builder(handler, phase, prefetch).start();
	}

	private ListenerApplication.Builder builder(Object handler, String phase, int prefetch) {
		return ListenerApplication.on(redis)
			.bean(handler)
			.with("queue", this.queue)
			.with("redelay.queue.listener.prefetch", prefetch)
			.with("spring.lifecycle.timeout-per-shutdown-phase", phase);
	}

	/**
	 * Handlers have half a second to end, and giving back what runs has its time after
	 * that: of a phase of half a second too little would be left.
	 */
	private ListenerApplication.Builder hasty(Object handler) {
		return builder(handler, "20s", 0).with("redelay.queue.shutdown-timeout", "500ms");
	}

	static class Gated {

		final List<DeliveryInfo> handled = new CopyOnWriteArrayList<>();

		final CountDownLatch end = new CountDownLatch(1);

		@QueueListener(id = "gated-${queue}", queues = "${queue}", concurrency = "1", leaseTime = "${lease:20s}")
		void handle(DeliveryInfo info) throws InterruptedException {
			this.handled.add(info);
			assertThat(this.end.await(60, TimeUnit.SECONDS)).isTrue();
		}

	}

	static class Quick {

		private final List<DeliveryInfo> handled;

		Quick(List<DeliveryInfo> handled) {
			this.handled = handled;
		}

		@QueueListener(queues = "${queue}", concurrency = "4")
		void handle(DeliveryInfo info) {
			this.handled.add(info);
		}

	}

	static class Batches {

		final List<List<String>> handled = new CopyOnWriteArrayList<>();

		@QueueListener(queues = "${queue}", batchSize = "10", batchTimeout = "1m")
		void handle(List<String> batch) {
			this.handled.add(batch);
		}

	}

}
