package io.redelay.queue.admin;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueListener;
import io.redelay.queue.admin.WaitingKeys.FairnessKey;
import io.redelay.queue.admin.WaitingKeys.Limit;
import io.redelay.queue.admin.WaitingKeys.OrderingKey;
import io.redelay.queue.listener.QueueGates;
import io.redelay.test.ListenerApplication;
import io.redelay.test.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Tests for what is notified of keys whose messages wait, and of limits.
 */
class WaitingKeysIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	@Test
	void reportsWhichMessageHasTheTurnAndHowManyWait() {
		Hanging hanging = new Hanging();
		try (ListenerApplication application = application().bean(hanging).start()) {
			send(application, ordered("a", 2), ordered("b\u2028<b>", 4), ordered("alone", 1));
			QueueAdmin admin = application.bean(QueueAdmin.class);
			await().until(() -> admin.queues().info(this.queue).inFlight() == 3);
			await().until(() -> keys(application).ordering().stream().allMatch((key) -> key.instanceName() != null));
			WaitingKeys keys = keys(application);
			assertThat(keys.queue()).isEqualTo(this.queue);
			assertThat(keys.complete()).isTrue();
			assertThat(keys.fairness()).isEmpty();
			assertThat(keys.limits()).isEmpty();
			assertThat(keys.ordering()).extracting(OrderingKey::key).containsExactly("b\u2028<b>", "a");
			assertThat(keys.ordering()).extracting(OrderingKey::waiting).containsExactly(3L, 1L);
			InstanceInfo instance = admin.queues().instances().stream().filter(this::listens).findFirst().orElseThrow();
			for (OrderingKey key : keys.ordering()) {
				QueuedMessage first = admin.messages().find(this.queue, String.valueOf(key.uid())).orElseThrow();
				assertThat(first.orderingKey()).isEqualTo(key.key());
				assertThat(key.instance()).isEqualTo(instance.instance());
				assertThat(key.instanceName()).isEqualTo(instance.name());
			}
			hanging.done.countDown();
			await().until(() -> keys(application).ordering().isEmpty());
		}
	}

	private boolean listens(InstanceInfo instance) {
		return instance.listeners()
			.stream()
			.flatMap((listener) -> listener.queues().stream())
			.anyMatch((each) -> each.queue().equals(this.queue));
	}

	@Test
	void addsUpTheLevelsOfAFairnessKey() {
		try (ListenerApplication application = application().start()) {
			send(application, fair("north", 2), List.of(message("x").fairnessKey("north").priority(9)),
					fair("south", 1), List.of(message("plain"), message("urgent").priority(9)));
			application.bean(QueueGates.class).close(this.queue, "south", Duration.ofHours(1));
			List<FairnessKey> keys = keys(application).fairness();
			assertThat(keys).extracting(FairnessKey::key).containsExactly("north", "south");
			assertThat(keys).extracting(FairnessKey::waiting).containsExactly(3L, 1L);
			assertThat(keys).extracting(FairnessKey::inFlight).containsOnly(0L);
			assertThat(keys.get(0).gatedUntil()).isNull();
			assertThat(keys.get(1).gatedUntil()).isAfter(keys(application).time());
			assertThat(keys(application).ordering()).isEmpty();
		}
	}

	@Test
	void reportsHowMuchIsUsedOfLimits() {
		Limited limited = new Limited();
		try (ListenerApplication application = application().bean(limited).start()) {
			send(application, fair("north", 3), fair("south", 1));
			QueueAdmin admin = application.bean(QueueAdmin.class);
			await().until(() -> admin.queues().info(this.queue).inFlight() == 2);
			await().until(() -> keys(application).limits().size() == 3);
			assertThat(keys(application).limits()).containsExactly(
					new Limit("rateLimit", Limit.Kind.RATE, 100, Duration.ofHours(1), 2L, false),
					new Limit("maxInFlight", Limit.Kind.IN_FLIGHT, 2, null, 2L, true),
					new Limit("keyMaxInFlight", Limit.Kind.IN_FLIGHT, 1, null, null, false));
			assertThat(keys(application).fairness()).singleElement().satisfies((key) -> {
				assertThat(key.key()).isEqualTo("north");
				assertThat(key.waiting()).isEqualTo(2);
				assertThat(key.inFlight()).isEqualTo(1);
			});
			limited.done.countDown();
		}
	}

	@Test
	void reportsThatAKeyIsHeldBack() {
		HangingByKey hanging = new HangingByKey();
		try (ListenerApplication application = application().bean(hanging).start()) {
			send(application, fair("north", 3));
			await().until(() -> keys(application).fairness().stream().anyMatch(FairnessKey::heldBack));
			assertThat(keys(application).fairness()).singleElement()
				.isEqualTo(new FairnessKey("north", 2, 1, true, null));
			hanging.done.countDown();
		}
	}

	@Test
	void reportsThatARateAllowsNoMore() {
		try (ListenerApplication application = application().bean(new Seldom()).start()) {
			send(application, List.of(message("a"), message("b")));
			await().until(() -> keys(application).limits().stream().anyMatch(Limit::exhausted));
			assertThat(keys(application).limits()).singleElement()
				.isEqualTo(new Limit("rateLimit", Limit.Kind.RATE, 1, Duration.ofHours(1), null, true));
		}
	}

	@Test
	void looksAtABoundedNumberOfKeys() {
		try (ListenerApplication application = application().start()) {
			List<OutboundMessage> messages = new ArrayList<>();
			for (int i = 0; i < 600; i++) {
				messages.addAll(ordered(String.format("k%03d", i), (i == 300) ? 3 : 2));
				messages.addAll(fair(String.format("k%03d", i), (i == 300) ? 3 : 1));
			}
			application.queues().sendAll(messages);
			WaitingKeys keys = keys(application);
			assertThat(keys.complete()).isFalse();
			assertThat(keys.ordering()).hasSize(100);
			assertThat(keys.ordering().get(0)).extracting(OrderingKey::key, OrderingKey::waiting)
				.containsExactly("k300", 2L);
			assertThat(keys.fairness()).hasSize(100);
			assertThat(keys.fairness().get(0)).extracting(FairnessKey::key, FairnessKey::waiting)
				.containsExactly("k300", 3L);
		}
	}

	@Test
	void addsUpPartitions() {
		try (ListenerApplication application = application()
			.with("redelay.queue.queues." + this.queue + ".partitions", "3")
			.start()) {
			for (int i = 0; i < 20; i++) {
				send(application, ordered("k" + i, 2));
			}
			send(application, fair("north", 30));
			WaitingKeys keys = keys(application);
			assertThat(keys.ordering()).extracting(OrderingKey::key)
				.containsExactlyInAnyOrderElementsOf(IntStream.range(0, 20).mapToObj((i) -> "k" + i).toList());
			assertThat(keys.fairness()).singleElement().extracting(FairnessKey::waiting).isEqualTo(30L);
		}
	}

	@Test
	void refusesAnUnusedQueue() {
		try (ListenerApplication application = application().start()) {
			assertThatExceptionOfType(UnknownQueueException.class).isThrownBy(() -> keys(application));
		}
	}

	private ListenerApplication.Builder application() {
		return ListenerApplication.on(redis).with("queue", this.queue);
	}

	private WaitingKeys keys(ListenerApplication application) {
		return application.bean(QueueAdmin.class).queues().waitingKeys(this.queue);
	}

	private OutboundMessage message(String payload) {
		return OutboundMessage.to(this.queue, payload);
	}

	private List<OutboundMessage> ordered(String key, int count) {
		return IntStream.range(0, count).mapToObj((i) -> message("m" + i).orderingKey(key)).toList();
	}

	private List<OutboundMessage> fair(String key, int count) {
		return IntStream.range(0, count).mapToObj((i) -> message("m" + i).fairnessKey(key)).toList();
	}

	@SafeVarargs
	private static void send(ListenerApplication application, List<OutboundMessage>... messages) {
		for (List<OutboundMessage> each : messages) {
			application.queues().sendAll(each);
		}
	}

	static class Hanging {

		final CountDownLatch done = new CountDownLatch(1);

		@QueueListener(queues = "${queue}", concurrency = "4")
		void handle(String payload) throws InterruptedException {
			this.done.await();
		}

	}

	static class Limited {

		final CountDownLatch done = new CountDownLatch(1);

		@QueueListener(queues = "${queue}", concurrency = "4", rateLimit = "100/1h bursting", maxInFlight = "2",
				keyMaxInFlight = "1")
		void handle(String payload) throws InterruptedException {
			this.done.await();
		}

	}

	static class HangingByKey {

		final CountDownLatch done = new CountDownLatch(1);

		@QueueListener(queues = "${queue}", concurrency = "4", keyMaxInFlight = "1")
		void handle(String payload) throws InterruptedException {
			this.done.await();
		}

	}

	static class Seldom {

		@QueueListener(queues = "${queue}", rateLimit = "1/1h")
		void handle(String payload) {
		}

	}

}
