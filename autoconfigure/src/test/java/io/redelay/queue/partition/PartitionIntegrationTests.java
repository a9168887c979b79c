package io.redelay.queue.partition;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

import io.redelay.queue.Deduplication;
import io.redelay.queue.MessageState;
import io.redelay.queue.OutboundMessage;
import io.redelay.queue.QueueHeaders;
import io.redelay.queue.QueueListener;
import io.redelay.queue.SendResult;
import io.redelay.queue.admin.QueueAdmin;
import io.redelay.queue.admin.QueueInfo;
import io.redelay.queue.limits.PartitionName;
import io.redelay.test.ListenerApplication;
import io.redelay.test.QueueState;
import io.redelay.test.TestRedis;
import io.redelay.test.Waiting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.redisson.client.codec.StringCodec;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.messaging.handler.annotation.Header;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests for queues of several partitions: sending, listening, and another number.
 */
@ExtendWith(OutputCaptureExtension.class)
class PartitionIntegrationTests {

	@RegisterExtension
	static final TestRedis redis = TestRedis.shared();

	private final String queue = TestRedis.queue();

	@Test
	void messagesOfAnIdGoToItsPartition() {
		try (ListenerApplication sender = application(3).start()) {
			for (int i = 0; i < 20; i++) {
				sender.queues().send(message("x").id("id-" + i));
			}
			assertThat(sender.queues().send(message("again").id("id-7")).duplicate()).isTrue();
		}
		Map<String, Integer> expected = new TreeMap<>();
		IntStream.range(0, 20)
			.forEach((i) -> expected.merge(PartitionName.ofKey(this.queue, "id-" + i, 3), 1, Integer::sum));
		assertThat(expected).hasSize(3);
		assertThat(stored(3)).isEqualTo(expected);
	}

	@Test
	void anOrderingKeyGoesBeforeADeduplicationKeyAndThatBeforeAnId() {
		try (ListenerApplication sender = application(5).start()) {
			for (int i = 0; i < 10; i++) {
				sender.queues().send(message("x").orderingKey("customer").id("id-" + i));
			}
			for (int i = 0; i < 10; i++) {
				sender.queues()
					.send(message("x").deduplicate(Deduplication.firstWins("key", Duration.ofHours(1)))
						.id("other-" + i));
			}
		}
		Map<String, Integer> expected = new TreeMap<>();
		expected.merge(PartitionName.ofKey(this.queue, "customer", 5), 10, Integer::sum);
		expected.merge(PartitionName.ofKey(this.queue, "key", 5), 1, Integer::sum);
		assertThat(stored(5)).isEqualTo(expected);
	}

	@Test
	void messagesOfAnOrderingKeyAreHandledInOrder() {
		Handler handler = new Handler();
		try (ListenerApplication application = listening(3, handler).start()) {
			for (int i = 0; i < 50; i++) {
				for (int key = 0; key < 6; key++) {
					application.queues().send(message(key + "-" + i).orderingKey("key-" + key));
				}
			}
			Waiting.await().until(() -> handler.handled.size() == 300);
			for (int key = 0; key < 6; key++) {
				String prefix = key + "-";
				assertThat(handler.handled).filteredOn((payload) -> payload.startsWith(prefix))
					.containsExactlyElementsOf(IntStream.range(0, 50).mapToObj((i) -> prefix + i).toList());
			}
		}
	}

	@Test
	void whatIsSentBeforeThePartitionsAreKnownKeepsItsOrder() {
		Handler handler = new Handler();
		try (ListenerApplication sender = application(3).start()) {
			List<CompletableFuture<SendResult>> sends = IntStream.range(0, 300)
				.mapToObj((i) -> sender.queues().sendAsync(message("m" + i).orderingKey("customer")))
				.toList();
			sends.forEach(CompletableFuture::join);
		}
		try (ListenerApplication application = listening(3, handler).start()) {
			Waiting.await().until(() -> handler.handled.size() == 300);
			assertThat(handler.handled)
				.containsExactlyElementsOf(IntStream.range(0, 300).mapToObj((i) -> "m" + i).toList());
		}
	}

	@Test
	void messagesWithoutKeyAreSpread() {
		try (ListenerApplication sender = application(3).start()) {
			for (int i = 0; i < 30; i++) {
				sender.queues().send(this.queue, "x");
			}
		}
		assertThat(stored(3).values()).containsExactly(10, 10, 10);
	}

	@Test
	void messagesThatAreSentTogetherStayTogether() {
		try (ListenerApplication sender = application(3).start()) {
			List<OutboundMessage> messages = IntStream.range(0, 30).mapToObj((i) -> message("x")).toList();
			assertThat(sender.queues().sendAll(messages)).hasSize(30);
		}
		assertThat(stored(3).values()).containsExactly(30);
	}

	@Test
	void aListenerHandlesAllPartitionsAndSeesOneQueue() {
		Handler handler = new Handler();
		try (ListenerApplication application = listening(3, handler).start()) {
			IntStream.range(0, 30).forEach((i) -> application.queues().send(message("m" + i).id("id-" + i)));
			List<SendResult> results = application.queues()
				.sendAll(IntStream.range(0, 10).mapToObj((i) -> message("k" + i).id("k-" + i)).toList());
			assertThat(results).extracting(SendResult::queue).containsOnly(this.queue);
			Waiting.await().until(() -> handler.handled.size() == 40);
			assertThat(handler.handled).doesNotHaveDuplicates();
			assertThat(handler.queues).containsOnly(this.queue);
		}
	}

	@Test
	void aLoudPartitionDoesNotStarveAQuietOne() {
		Handler handler = new Handler();
		try (ListenerApplication sender = application(2).start()) {
			sender.queues().sendAll(IntStream.range(0, 2000).mapToObj((i) -> message("loud")).toList());
			String quiet = stored(2).containsKey(this.queue) ? id("quiet", 1) : id("quiet", 0);
			sender.queues().send(message("quiet").id(quiet));
		}
		try (ListenerApplication application = listening(2, handler).with("redelay.queue.listener.concurrency", "1")
			.start()) {
			Waiting.await().until(() -> handler.handled.contains("quiet"));
			assertThat(List.copyOf(handler.handled).indexOf("quiet")).isLessThan(1000);
			assertThat(application.container().isRunning()).isTrue();
		}
	}

	/**
	 * An id that goes to one of two partitions.
	 */
	private String id(String name, int partition) {
		return IntStream.range(0, 100)
			.mapToObj((i) -> name + i)
			.filter((id) -> PartitionName.ofKey(this.queue, id, 2).equals(PartitionName.of(this.queue, partition)))
			.findFirst()
			.orElseThrow();
	}

	@Test
	void raisingTheNumberUnderLoadLosesNothing(CapturedOutput output) throws InterruptedException {
		Handler old = new Handler();
		ConcurrentLinkedQueue<String> sent = new ConcurrentLinkedQueue<>();
		AtomicBoolean stop = new AtomicBoolean();
		try (ListenerApplication before = listening(1, old).start()) {
			Thread load = new Thread(() -> {
				for (int i = 0; !stop.get(); i++) {
					before.queues().send(message("old-" + i));
					sent.add("old-" + i);
				}
			});
			load.start();
			try (ListenerApplication raised = application(3).start()) {
				for (int i = 0; i < 300; i++) {
					raised.queues().send(message("new-" + i));
					sent.add("new-" + i);
				}
			}
			stop.set(true);
			load.join();
			Waiting.await().until(() -> old.handled.size() == sent.size());
			assertThat(old.handled).containsExactlyInAnyOrderElementsOf(sent);
			assertThat(before.bean(QueueAdmin.class).queues().info(this.queue).ready()).isZero();
		}
		assertThat(output).contains("The queue '" + this.queue + "' has 3 partitions, and 'redelay.queue.queues."
				+ this.queue + ".partitions' is 1 in this application");
	}

	@Test
	void aLowerNumberDrainsThePartitionsThatAreLeft() {
		try (ListenerApplication sender = application(3).start()) {
			IntStream.range(0, 30).forEach((i) -> sender.queues().send(this.queue, "m" + i));
		}
		Handler handler = new Handler();
		try (ListenerApplication lower = listening(2, handler).start()) {
			Waiting.await().until(() -> handler.handled.size() == 30);
			IntStream.range(0, 20).forEach((i) -> lower.queues().send(this.queue, "late"));
			assertThat(stored(3)).doesNotContainKey(this.queue + "~2");
			QueueAdmin admin = lower.bean(QueueAdmin.class);
			admin.control().drain(this.queue, Duration.ofMinutes(1));
			assertThat(layout()).isEqualTo("2 2");
		}
	}

	@Test
	void partitionsWithDeadMessagesAreNotForgotten() {
		Handler handler = new Handler();
		handler.fails = true;
		try (ListenerApplication three = listening(3, handler)
			.with("redelay.queue.queues." + this.queue + ".max-attempts", "1")
			.start()) {
			IntStream.range(0, 9).forEach((i) -> three.queues().send(this.queue, "x"));
			Waiting.await().until(() -> three.bean(QueueAdmin.class).queues().info(this.queue).dead() == 9);
		}
		try (ListenerApplication two = application(2).start()) {
			QueueAdmin admin = two.bean(QueueAdmin.class);
			assertThat(admin.control().drain(this.queue, Duration.ZERO).dead()).isEqualTo(9);
			assertThat(layout()).isEqualTo("3 2");
			admin.control().purge(this.queue, MessageState.DEAD);
			admin.control().drain(this.queue, Duration.ZERO);
			assertThat(layout()).isEqualTo("2 2");
		}
	}

	@Test
	void keysStayWhereTheyAreUntilTheQueueIsDrained(CapturedOutput output) {
		try (ListenerApplication two = application(2).start()) {
			two.queues().send(message("x").id("first"));
		}
		Handler handler = new Handler();
		try (ListenerApplication raised = application(7).start()) {
			for (int i = 0; i < 50; i++) {
				raised.queues().send(message("x").id("id-" + i));
			}
			assertThat(stored(7).keySet()).containsExactly(this.queue, this.queue + "~1");
			assertThat(layout()).isEqualTo("7 2");
			assertThat(output).contains("spread over 2 of its 7 partitions");
		}
		try (ListenerApplication drained = listening(7, handler).start()) {
			QueueAdmin admin = drained.bean(QueueAdmin.class);
			QueueInfo left = admin.control().drain(this.queue, Duration.ofMinutes(1));
			assertThat(left.ready() + left.inFlight()).isZero();
			assertThat(handler.handled).hasSize(51);
			assertThat(layout()).isEqualTo("7 7");
		}
	}

	/**
	 * The instance with the smaller number learns where the ids of the others are.
	 */
	@Test
	void anInstanceWithTheSmallerNumberFindsTheDuplicate() {
		String id = IntStream.range(0, 100)
			.mapToObj((i) -> "id-" + i)
			.filter((each) -> !PartitionName.ofKey(this.queue, each, 3).equals(this.queue))
			.findFirst()
			.orElseThrow();
		try (ListenerApplication three = application(3).start(); ListenerApplication one = application(1).start()) {
			three.queues().send(message("x").id(id));
			Waiting.await().until(() -> one.queues().send(message("x").id(id)).duplicate());
			assertThat(stored(3)).containsEntry(PartitionName.ofKey(this.queue, id, 3), 1);
			assertThat(one.queues().send(message("x").id(id)).duplicate()).isTrue();
		}
	}

	@Test
	void aPausedQueueStaysPausedInPartitionsThatAreAdded() {
		try (ListenerApplication one = application(1).start()) {
			one.queues().send(this.queue, "x");
			one.bean(QueueAdmin.class).control().pause(this.queue);
		}
		Handler handler = new Handler();
		try (ListenerApplication three = listening(3, handler).start()) {
			IntStream.range(0, 9).forEach((i) -> three.queues().send(this.queue, "x"));
			assertThat(three.bean(QueueAdmin.class).queues().info(this.queue).ready()).isEqualTo(10);
			assertThat(handler.handled).isEmpty();
			three.bean(QueueAdmin.class).control().resume(this.queue);
			Waiting.await().until(() -> handler.handled.size() == 10);
		}
	}

	@Test
	void theDeadOfAllPartitionsAreHandedOnUnderTheNameOfTheQueue() {
		String dead = this.queue + ".dead";
		Handler failing = new Handler();
		failing.fails = true;
		DeadHandler handler = new DeadHandler();
		try (ListenerApplication application = listening(3, failing).bean("dead", handler)
			.with("dead", dead)
			.with("redelay.queue.queues." + this.queue + ".dead-letter-queue", dead)
			.with("redelay.queue.queues." + this.queue + ".max-attempts", "1")
			.start()) {
			IntStream.range(0, 9).forEach((i) -> application.queues().send(this.queue, "x"));
			Waiting.await().until(() -> handler.origins.size() == 9);
			assertThat(handler.origins).containsOnly(this.queue);
		}
	}

	@Test
	void partitionsShareTheLargestLength() {
		try (ListenerApplication sender = application(2)
			.with("redelay.queue.queues." + this.queue + ".max-length", "10")
			.start()) {
			IntStream.range(0, 10).forEach((i) -> sender.queues().send(this.queue, "x"));
			assertThatThrownBy(() -> sender.queues().send(this.queue, "x"))
				.hasMessageContaining("max-length' allows in one of its partitions");
		}
	}

	@Test
	void aNumberOutOfRangeIsRefused() {
		assertThatThrownBy(() -> application(0).start()).hasStackTraceContaining("partitions' must be 1 to 64: 0");
		assertThatThrownBy(() -> application(65).start()).hasStackTraceContaining("partitions' must be 1 to 64: 65");
		assertThatThrownBy(() -> application(8).with("redelay.queue.queues." + this.queue + ".max-length", "7").start())
			.hasStackTraceContaining("at least as large as 'partitions'");
	}

	@Test
	void limitsAreRefused() {
		assertThatThrownBy(
				() -> listening(2, new Handler()).with("redelay.queue.queues." + this.queue + ".max-in-flight", "1")
					.start())
			.hasStackTraceContaining("The property 'redelay.queue.queues." + this.queue + ".max-in-flight'")
			.hasStackTraceContaining("has 2 partitions")
			.hasStackTraceContaining("redelay.queue.queues." + this.queue + ".partitions=1");
	}

	@Test
	void aPriorityIsRefusedUnlessOneForEachPartitionWillDo() {
		try (ListenerApplication sender = application(2).start()) {
			assertThatThrownBy(() -> sender.queues().send(message("x").priority(9)))
				.isInstanceOf(IllegalArgumentException.class)
				.hasMessageContaining("'priority'")
				.hasMessageContaining("redelay.queue.queues." + this.queue + ".priority-per-partition");
			assertThat(stored(2)).isEmpty();
		}
		assertThatThrownBy(
				() -> application(2).with("redelay.queue.queues." + this.queue + ".priority", "#{payload.urgency}")
					.start())
			.hasStackTraceContaining(".priority' cannot be heeded over 2 partitions");
		try (ListenerApplication sender = application(2)
			.with("redelay.queue.queues." + this.queue + ".priority-per-partition", "true")
			.start()) {
			sender.queues().send(message("x").priority(9));
			assertThat(stored(2)).hasSize(1);
		}
	}

	private ListenerApplication.Builder application(int partitions) {
		return ListenerApplication.on(redis)
			.with("redelay.queue.safety-poll-interval", "100ms")
			.with("redelay.queue.queues." + this.queue + ".partitions", partitions);
	}

	private ListenerApplication.Builder listening(int partitions, Handler handler) {
		return application(partitions).with("queue", this.queue).bean(handler);
	}

	private OutboundMessage message(String payload) {
		return OutboundMessage.to(this.queue, payload);
	}

	private String layout() {
		return redis.client().<String, String>getMap("redelay:partitions", StringCodec.INSTANCE).get(this.queue);
	}

	/**
	 * How many messages the partitions hold that hold some.
	 */
	private Map<String, Integer> stored(int partitions) {
		Map<String, Integer> stored = new TreeMap<>();
		for (int i = 0; i < partitions; i++) {
			String name = PartitionName.of(this.queue, i);
			int count = QueueState.of(redis, name).messages().size();
			if (count > 0) {
				stored.put(name, count);
			}
		}
		return stored;
	}

	static class Handler {

		final Collection<String> handled = new ConcurrentLinkedQueue<>();

		final Collection<String> queues = new ConcurrentLinkedQueue<>();

		volatile boolean fails;

		@QueueListener(queues = "${queue}")
		void handle(String payload, @Header(QueueHeaders.QUEUE) String queue) {
			if (this.fails) {
				throw new IllegalStateException("It fails");
			}
			this.queues.add(queue);
			this.handled.add(payload);
		}

	}

	static class DeadHandler {

		final Collection<String> origins = new ConcurrentLinkedQueue<>();

		@QueueListener(queues = "${dead}")
		void handle(String payload, @Header(QueueHeaders.ORIGINAL_QUEUE) String queue) {
			this.origins.add(queue);
		}

	}

}
