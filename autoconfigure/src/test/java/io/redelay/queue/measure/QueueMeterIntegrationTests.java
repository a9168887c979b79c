package io.redelay.queue.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.RejectMessageException;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.batch.BatchFailedException;
import io.redelay.queue.work.DeliveryInfo;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import org.springframework.messaging.Message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Integration tests for what a {@link QueueMeter} is notified of.
 */
class QueueMeterIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private static final Recorder recorder = new Recorder();

	private static final String QUEUE = "measured-" + UUID.randomUUID();

	/** Of one test, which counts what becomes of its messages. */
	private static final String SETTLED = "measured-settled-" + UUID.randomUUID();

	private static final String BATCHES = "measured-batches-" + UUID.randomUUID();

	private static final Handlers handlers = new Handlers();

	private static ListenerApplication application;

	@BeforeAll
	static void start() {
		application = ListenerApplication.on(redis)
			.with("measured.queue", QUEUE)
			.with("measured.settled", SETTLED)
			.with("measured.batches", BATCHES)
			.bean(recorder)
			.bean("failing", new Failing())
			.bean(handlers)
			.start();
	}

	@AfterAll
	static void stop() {
		application.close();
	}

	@Test
	void aHandledMessageIsReported() {
		String type = "order-" + UUID.randomUUID();
		application.queues().send(OutboundMessage.to(QUEUE, "fine").payloadType(type));
		Handling handling = handlingOf(type);
		assertThat(handling.queue()).isEqualTo(QUEUE);
		assertThat(handling.listener()).isEqualTo("measured");
		assertThat(handling.outcome()).isEqualTo("handled");
		assertThat(handling.hasWait()).isTrue();
		assertThat(handling.handlingNanos()).isPositive();
	}

	@Test
	void theWaitCountsFromTheDueTimeAndIsUnknownAfterAFailure() {
		String type = "order-" + UUID.randomUUID();
		long sent = System.currentTimeMillis();
		application.queues()
			.send(OutboundMessage.to(QUEUE, "fails late").payloadType(type).delay(Duration.ofSeconds(2)));
		await().until(() -> recorder.handled(type).size() == 2);
		assertThat(recorder.handled(type)).extracting(Handling::outcome).containsExactly("failed", "handled");
		assertThat(recorder.handled(type)).extracting(Handling::hasWait).containsExactly(true, false);
		assertThat(recorder.handled(type).get(0).waitMillis()).as("what follows the delay, not the send")
			.isBetween(0L, handlers.lateAt - sent - 1000);
		assertThat(recorder.failures).contains(QUEUE + " measured java.lang.IllegalStateException: not yet");
	}

	@Test
	void countsAgreeWithWhatWasDone() {
		String queue = "counted-" + UUID.randomUUID();
		List<OutboundMessage> messages = new ArrayList<>();
		for (int i = 0; i < 20; i++) {
			messages.add(OutboundMessage.to(queue, "message " + i).id("id-" + i));
		}
		application.queues().sendAll(messages);
		application.queues().sendAll(messages);
		assertThat(recorder.sum("sent " + queue)).isEqualTo(20);
		QueueAdmin admin = application.bean(QueueAdmin.class);
		assertThat(admin.queues().info(queue).ready()).isEqualTo(20);
		assertThat(admin.control().purge(queue, MessageState.READY)).isEqualTo(20);
	}

	@Test
	void settlementsAreCountedByWhatBecameOfTheMessages() {
		String prefix = UUID.randomUUID() + "-";
		application.queues().send(OutboundMessage.to(SETTLED, "rejected").payloadType(prefix + "rejected"));
		application.queues().send(OutboundMessage.to(SETTLED, "fails once").payloadType(prefix + "once"));
		application.queues().send(OutboundMessage.to(SETTLED, "sends").payloadType(prefix + "sends"));
		await().until(() -> recorder.handled(prefix + "once").size() == 2 && recorder.sum("dead " + SETTLED) == 1
				&& recorder.sum("acknowledged " + SETTLED) == 2);
		await().untilAsserted(() -> assertThat(recorder.sum("retried " + SETTLED)).isEqualTo(1));
		assertThat(recorder.sum("returned " + SETTLED)).isZero();
		assertThat(recorder.handled(prefix + "rejected")).singleElement()
			.satisfies((handling) -> assertThat(handling.outcome()).isEqualTo("failed"));
		assertThat(recorder.failures)
			.contains(SETTLED + " measured " + RejectMessageException.class.getName() + ": no");
	}

	@Test
	void whatIsSentWithAnAcknowledgementIsCountedWithIt() {
		String next = "next-" + UUID.randomUUID();
		application.queues().send(OutboundMessage.to(QUEUE, "sends").header("next", next));
		await().untilAsserted(() -> assertThat(recorder.sum("sent " + next)).isEqualTo(1));
		// The queue is known by now, and takes the message in the step that acknowledges.
		application.queues().send(OutboundMessage.to(QUEUE, "sends").header("next", next));
		await().untilAsserted(() -> assertThat(recorder.sum("sent " + next)).isEqualTo(2));
		await().untilAsserted(
				() -> assertThat(application.bean(QueueAdmin.class).queues().info(next).ready()).isEqualTo(2));
		assertThat(recorder.sum("sent " + next)).isEqualTo(2);
	}

	@Test
	void ofABatchThePartsThatFailedAreReported() {
		List<OutboundMessage> messages = new ArrayList<>();
		String type = "batch-" + UUID.randomUUID();
		for (int i = 0; i < 4; i++) {
			messages.add(OutboundMessage.to(BATCHES, Integer.toString(i)).payloadType(type));
		}
		application.queues().sendAll(messages);
		await().until(() -> recorder.handled(type).size() == 5);
		assertThat(recorder.handled(type)).extracting(Handling::outcome)
			.containsOnly("handled", "failed")
			.filteredOn("failed"::equals)
			.hasSize(1);
	}

	private static Handling handlingOf(String type) {
		await().until(() -> !recorder.handled(type).isEmpty());
		return recorder.handled(type).get(0);
	}

	static class Handlers {

		/** When a message that fails late was handled for the first time. */
		volatile long lateAt;

		@QueueListener(queues = { "${measured.queue}", "${measured.settled}" }, id = "measured")
		void handle(Message<String> message, DeliveryInfo delivery) {
			switch (message.getPayload()) {
				case "fails once" -> {
					if (delivery.attempt() == 1) {
						throw new IllegalStateException("not yet");
					}
				}
				case "fails late" -> {
					if (delivery.attempt() == 1) {
						this.lateAt = System.currentTimeMillis();
						throw new IllegalStateException("not yet");
					}
				}
				case "rejected" -> throw new RejectMessageException("no");
				case "sends" -> {
					String next = (String) message.getHeaders().getOrDefault("next", "nowhere-" + QUEUE);
					application.queues().send(OutboundMessage.to(next, "next").inDelivery());
				}
				default -> {
				}
			}
		}

		@QueueListener(queues = "${measured.batches}", id = "measured-batches", batchSize = "4", batchTimeout = "10s")
		void handle(List<String> batch) {
			if (batch.size() > 1) {
				throw new BatchFailedException(2, new IllegalStateException("the third one"));
			}
		}

	}

	/**
	 * Shows that a meter that fails disturbs nothing.
	 */
	static final class Failing implements QueueMeter {

		@Override
		public void sent(String queue, int messages, long nanos) {
			throw new IllegalStateException("meant");
		}

		@Override
		public void settled(String queue, Settled settled, long nanos) {
			throw new AssertionError("meant");
		}

		@Override
		public void handled(Handling handling) {
			throw new IllegalStateException("meant");
		}

	}

	static final class Recorder implements QueueMeter {

		final List<Handling> handlings = new CopyOnWriteArrayList<>();

		final List<String> failures = new CopyOnWriteArrayList<>();

		private final Map<String, Long> sums = new ConcurrentHashMap<>();

		long sum(String name) {
			return this.sums.getOrDefault(name, 0L);
		}

		List<Handling> handled(String type) {
			return this.handlings.stream().filter((handling) -> type.equals(handling.payloadType())).toList();
		}

		private void add(String name, long count) {
			this.sums.merge(name, count, Long::sum);
		}

		@Override
		public void sent(String queue, int messages, long nanos) {
			add("sent " + queue, messages);
		}

		@Override
		public void settled(String queue, Settled settled, long nanos) {
			add("acknowledged " + queue, settled.acknowledged());
			add("retried " + queue, settled.retried());
			add("dead " + queue, settled.dead());
			add("returned " + queue, settled.returned());
		}

		@Override
		public void handled(Handling handling) {
			this.handlings.add(handling);
		}

		@Override
		public void failed(String queue, String listener, @Nullable String exception, String message) {
			this.failures.add(queue + " " + listener + " " + exception + ": " + message);
		}

	}

}
