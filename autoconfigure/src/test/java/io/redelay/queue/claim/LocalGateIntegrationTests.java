package io.redelay.queue.claim;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.listener.QueueGate;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.CapturedLog;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of gates that close a listener of one instance.
 */
class LocalGateIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aClosedGateLeavesTheMessagesToOtherInstancesAndOpensAtOnce() {
		Gate closed = new Gate();
		closed.queues.add(this.queue);
		Handler here = new Handler();
		Handler there = new Handler();
		try (ListenerApplication one = start(closed, here); ListenerApplication other = start(new Gate(), there)) {
			for (int i = 0; i < 20; i++) {
				one.queues().send(this.queue, "m" + i);
			}
			Awaitility.await().until(() -> there.handled.size() == 20);
			assertThat(here.handled).isEmpty();
			other.container().stop(Duration.ofSeconds(10)).join();
			one.queues().send(this.queue, "last");
			Awaitility.await().pollDelay(Duration.ofMillis(300)).until(() -> true);
			assertThat(here.handled).isEmpty();
			closed.queues.clear();
			closed.changed.run();
			Awaitility.await().until(() -> here.handled.size() == 1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aGateThatReportsNothingIsAskedAgain() {
		Gate gate = new Gate();
		gate.queues.add(this.queue);
		Handler handler = new Handler();
		try (ListenerApplication application = start(gate, handler)) {
			application.queues().send(this.queue, "m");
			Awaitility.await().until(() -> gate.asked > 0);
			gate.queues.clear();
			Awaitility.await().until(() -> handler.handled.size() == 1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void whatWaitsForAHandlerGoesBackUncountedWhenTheGateCloses() {
		Gate gate = new Gate();
		Handler handler = new Handler();
		handler.go = new CountDownLatch(1);
		try (ListenerApplication application = start(gate, handler, "redelay.queue.listener.prefetch=10",
				"redelay.queue.listener.concurrency=1", "test.auto-startup=false")) {
			for (int i = 0; i < 5; i++) {
				application.queues().send(this.queue, "m" + i);
			}
			application.container().start();
			QueueAdmin admin = application.bean(QueueAdmin.class);
			Awaitility.await().until(() -> admin.queues().info(this.queue).inFlight() == 5);
			gate.queues.add(this.queue);
			gate.changed.run();
			Awaitility.await().until(() -> admin.queues().info(this.queue).inFlight() == 1);
			handler.go.countDown();
			Awaitility.await().until(() -> admin.queues().info(this.queue).inFlight() == 0);
			assertThat(handler.handled).containsExactly("m0 1");
			gate.queues.clear();
			gate.changed.run();
			Awaitility.await().until(() -> handler.handled.size() == 5);
			assertThat(handler.handled).containsExactly("m0 1", "m1 1", "m2 1", "m3 1", "m4 1");
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	void aGateThatThrowsCountsAsOpen() {
		Handler handler = new Handler();
		QueueGate broken = (listener, queue) -> {
			throw new AssertionError("broken");
		};
		try (ListenerApplication application = start(broken, handler)) {
			application.queues().send(this.queue, "m");
			Awaitility.await().until(() -> handler.handled.size() == 1);
		}
	}

	@Test
	@Execution(ExecutionMode.CONCURRENT)
	@ExtendWith(CapturedLog.Extension.class)
	void aGateThatCannotReportItsChangesIsAskedAgain(CapturedLog log) {
		String reason = "no listeners for " + this.queue;
		Gate gate = new Gate() {

			@Override
			public void onChange(Runnable changed) {
				throw new UnsupportedOperationException(reason);
			}

		};
		gate.queues.add(this.queue);
		Handler handler = new Handler();
		try (ListenerApplication application = start(gate, handler)) {
			assertThat(log.entriesWith("A QueueGate does not report when it has opened or closed", reason)).hasSize(1);
			application.queues().send(this.queue, "m");
			Awaitility.await().until(() -> gate.asked > 0);
			gate.queues.clear();
			Awaitility.await().until(() -> handler.handled.size() == 1);
		}
	}

	private ListenerApplication start(QueueGate gate, Handler handler, String... properties) {
		ListenerApplication.Builder builder = ListenerApplication.on(redis)
			.bean("gate", gate)
			.bean(handler)
			.with("test.queue", this.queue)
			.with("redelay.queue.safety-poll-interval", "10m");
		for (String property : properties) {
			builder.with(property.split("=")[0], property.split("=")[1]);
		}
		return builder.start();
	}

	static class Gate implements QueueGate {

		final ConcurrentHashMap.KeySetView<String, Boolean> queues = ConcurrentHashMap.newKeySet();

		volatile int asked;

		volatile Runnable changed = () -> {
		};

		@Override
		public boolean isOpen(String listener, String queue) {
			this.asked = 1;
			assertThat(listener).isEqualTo("it");
			return !this.queues.contains(queue);
		}

		@Override
		public void onChange(Runnable changed) {
			this.changed = changed;
		}

	}

	static class Handler {

		final Queue<String> handled = new ConcurrentLinkedQueue<>();

		volatile CountDownLatch go = new CountDownLatch(0);

		@QueueListener(id = "it", queues = "${test.queue}", autoStartup = "${test.auto-startup:true}")
		void handle(String payload, DeliveryInfo info) throws InterruptedException {
			this.go.await(60, TimeUnit.SECONDS);
			this.handled.add(payload + " " + info.attempt());
		}

	}

}
